package feeds

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/gateway/directory"
	"crier/schema"
	"crier/schema/lists"
)

const (
	maxWords = 200 // bytes of what is searched for
	maxActor = 300 // bytes of a handle or DID
	// patience is how long a platform may take to answer while a caller waits.
	patience = 10 * time.Second
)

// search answers with public posts of one platform, as its search finds them now.
func (f *feeds) search(c *gin.Context) error {
	began := f.Now()
	q := body.NewQuery(c)
	platform := f.searchable(q)
	query := connectors.FeedQuery{Since: q.Time("since"), Limit: q.Integer("limit", body.DefaultLimit, body.MaxLimit)}
	query.Words, _ = q.Text("q")
	query.Words = strings.TrimSpace(query.Words)
	if n := utf8.RuneCountInString(query.Words); n < schema.ShortestKeyword || n > maxWords || strings.ContainsFunc(query.Words, unicode.IsControl) {
		q.Report.Fail("q", body.CodeInvalidValue, fmt.Sprintf("must have %d to %d characters without control characters", schema.ShortestKeyword, maxWords))
	}
	if language, ok := q.Word("language"); ok {
		if query.Language = language; !isLanguage(language) {
			q.Report.Fail("language", body.CodeInvalidValue, "must be a language of two letters (ISO 639-1), such as en")
		}
		if platform == schema.Threads {
			q.Report.Fail("language", body.CodeInvalidValue, "threads does not search by language")
		}
	}
	of := fmt.Sprintf("%s %s %s %d", platform, query.Words, query.Language, query.Since.Unix())
	if cursor, ok := q.Text("cursor"); ok {
		if query.Cursor, ok = readSearchCursor(of, cursor); !ok {
			q.Report.Fail("cursor", body.CodeInvalidValue, "must be the nextCursor of the page before, of the same search")
		}
	}
	account, err := f.account(c, q, platform, began)
	if err == nil {
		err = q.Finish()
	}
	if err != nil {
		return err
	}
	page, err := f.ask(c.Request.Context(), account, query)
	if err != nil {
		return refusal(err, "q")
	}
	next := ""
	if page.Next != "" {
		next = searchCursor(of, page.Next)
	}
	return showItems(c, lists.Map(page.Items, viewFound), next, q.Report.Warnings)
}

func (f *feeds) ask(ctx context.Context, account *schema.Account, query connectors.FeedQuery) (connectors.FeedPage, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	searcher, err := connectors.As[connectors.FeedSearcher](f.Platforms, *account)
	if err != nil {
		return connectors.FeedPage{}, err
	}
	credentials, err := f.Vault.Open(*account)
	if err != nil {
		return connectors.FeedPage{}, err
	}
	page, err := searcher.SearchFeed(ctx, connectors.Reading{Account: *account, Credentials: credentials}, query)
	return page.Dated(f.Now()), err
}

// searchable returns the platform that is asked for.
func (f *feeds) searchable(q *body.Query) schema.Platform {
	platform := q.Platform("platform")
	switch {
	case platform == 0 && !q.Report.About("platform"):
		q.Report.Fail("platform", body.CodeRequired, "bluesky or threads is required")
	case platform != 0 && !slices.Contains(schema.SearchPlatforms(), platform):
		q.Report.Fail("platform", body.CodeInvalidValue, "bluesky and threads can be searched")
	}
	return platform
}

// account returns whom a search is made for: the account that is named, or the workspace's first
// on the platform that works. It is nil where the query has failed.
func (f *feeds) account(c *gin.Context, q *body.Query, platform schema.Platform, began time.Time) (*schema.Account, error) {
	named, isNamed := q.Word("accountId")
	id, err := schema.ParseID[schema.AccountID](named)
	if isNamed && err != nil {
		q.Report.Fail("accountId", body.CodeInvalidValue, err.Error())
	}
	if platform == 0 || len(q.Report.Errors) > 0 {
		return nil, nil
	}
	workspace := admission.RequestOf(c).Key.Workspace
	var found *schema.Account
	_, err = f.Accounts.Find(c.Request.Context(), workspace, began, func(d *directory.Directory) bool {
		found = nil
		for _, a := range d.On(platform) {
			if isNamed && a.ID != id || !isNamed && a.Problem() != nil {
				continue
			}
			found = a
			break
		}
		return found != nil
	})
	switch {
	case err != nil:
		return nil, err
	case found == nil && isNamed:
		q.Report.Fail("accountId", "account_unknown", fmt.Sprintf("there is no such account on %s", platform))
	case found == nil:
		return nil, &schema.Error{Kind: schema.InvalidState, Message: fmt.Sprintf("the workspace has no account on %s that works, and %s lets nobody else search: connect one", platform, platform)}
	case found.Problem() != nil:
		return nil, &schema.Error{Kind: schema.InvalidState, Message: "the account has to be connected again"}
	}
	return found, nil
}

// profile answers with a public profile.
func (f *feeds) profile(c *gin.Context) error {
	q := body.NewQuery(c)
	platform := q.Platform("platform")
	if platform != 0 && platform != schema.Bluesky {
		q.Report.Fail("platform", body.CodeInvalidValue, "profiles of bluesky are public")
	}
	handle, ok := q.Text("handle")
	handle = strings.ToLower(schema.PastedHandle(handle))
	if !ok || len(handle) > maxActor || strings.ContainsFunc(handle, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("/?#&\\", r) }) {
		q.Report.Fail("handle", body.CodeInvalidValue, "must be a handle, such as alice.bsky.social, or a DID")
	}
	if err := q.Finish(); err != nil {
		return err
	}
	key := admission.RequestOf(c).Key
	nobody := schema.Account{Workspace: key.Workspace, Platform: schema.Bluesky, Sandbox: key.Sandbox}
	reader, err := connectors.As[connectors.ProfileReader](f.Platforms, nobody)
	if err != nil {
		return refusal(err, "handle")
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), patience)
	defer cancel()
	profile, err := reader.ReadProfile(ctx, connectors.Reading{Account: nobody}, handle)
	if err != nil {
		return refusal(err, "handle")
	}
	return answer.Named(c, http.StatusOK, "profile", viewProfile(schema.Bluesky, profile), q.Report.Warnings)
}

// refusal is what a platform's refusal means to who asked.
func refusal(err error, field string) error {
	e, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return err
	}
	switch e.Kind {
	case schema.Refused:
		return schema.InvalidDetails([]schema.Detail{{Field: field, Code: "platform_refused", Message: e.Message}})
	case schema.TokenDead:
		return &schema.Error{Kind: schema.InvalidState, Message: "the account has to be connected again: " + e.Message, Err: err}
	case schema.RateLimited:
		return &schema.Error{Kind: schema.Unavailable, RetryAfter: max(e.RetryAfter, time.Second), Message: "the platform takes no more searches for now", Err: err}
	case schema.Retryable, schema.Unknown:
		return &schema.Error{Kind: schema.Unavailable, RetryAfter: 5 * time.Second, Message: "the platform does not answer", Err: err}
	default:
		return err
	}
}
