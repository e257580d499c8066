package bluesky

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/schema"
)

// recordsPage is the most that listRecords gives at once (com.atproto.repo.listRecords).
const recordsPage = 100

// findListed looks for the delivery's record among those of the account, by its text, what it answers and
// whether it has media.
func (c *Connector) findListed(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	refs := map[string]strongRef{} // by their URI
	item, verdict, err := listing.Search{Now: c.now, Read: func(ctx context.Context, cursor string) (listing.Page, error) {
		return c.records(ctx, d, cursor, refs)
	}}.Find(ctx, d)
	if verdict != schema.Found {
		return schema.Receipt{}, verdict, err
	}
	receipt, err := receiptOf(d, refs[item.ID], item.At)
	return receipt, verdict, err
}

// listedRecord is a record as it is listed.
type listedRecord struct {
	strongRef
	Value json.RawMessage `json:"value"`
}

// content is what a record is known by again.
type content struct {
	written
	Embed *struct {
		Type string `json:"$type"`
	} `json:"embed"`
}

// records reads a part of the account's posts, the newest keys first, and notes what they are called.
func (c *Connector) records(ctx context.Context, d schema.Delivery, cursor string, refs map[string]strongRef) (listing.Page, error) {
	var answer struct {
		Cursor  string         `json:"cursor"`
		Records []listedRecord `json:"records"`
	}
	_, err := c.ask(ctx, d, &answer, func(s session) connectors.Call {
		get := call(d, http.MethodGet, s.PDS, listRecords, s.Access)
		get.Kind = connectors.Status
		get.Query = url.Values{"repo": {s.DID}, "collection": {postCollection}, "limit": {strconv.Itoa(recordsPage)}}
		connectors.SetField(get.Query, "cursor", cursor)
		return get
	})
	if err != nil {
		return listing.Page{}, fmt.Errorf("listing records: %w", err)
	}
	isPart := func(r listedRecord) bool { return r.URI == "" || r.CID == "" || len(r.Value) == 0 }
	if answer.Records == nil || slices.ContainsFunc(answer.Records, isPart) {
		return listing.Page{}, &schema.Error{Kind: schema.Retryable, Message: "the server's answer is no list of records"}
	}
	page := listing.Page{Next: answer.Cursor}
	for _, r := range answer.Records {
		refs[r.URI] = r.strongRef
		page.Items = append(page.Items, itemOf(d, r))
	}
	byTime := func(a, b listing.Item) int { return cmp.Compare(b.At.UnixMicro(), a.At.UnixMicro()) }
	if n := len(page.Items); n > 0 && slices.IsSortedFunc(page.Items, byTime) { // else older ones may hide newer ones
		page.Until = page.Items[n-1].At
	}
	return page, nil
}

// itemOf compares a record with what is looked for. Its time is that of its key, which crier makes of the
// claim's, by the database's clock and not the server's.
func itemOf(d schema.Delivery, r listedRecord) listing.Item {
	item := listing.Item{ID: r.URI, URL: pageOf(r.URI)}
	var record content
	if json.Unmarshal(r.Value, &record) != nil {
		return item // no post that crier would write
	}
	at, ok := timeOf(keyOf(r.URI))
	if !ok {
		at, _ = time.Parse(time.RFC3339, record.CreatedAt)
	}
	item.At = at
	answers := ""
	if record.Reply != nil {
		answers = record.Reply.Parent.URI
	}
	hasMedia := record.Embed != nil && (record.Embed.Type == imagesEmbed || record.Embed.Type == videoEmbed)
	wantMedia := d.Comment == nil && len(d.Media) > 0
	item.Alike = answers == d.ReplyTo() && hasMedia == wantMedia && listing.SameText(d.VisibleText(), record.Text)
	return item
}
