package engagement

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
)

// maxMarks is how many items one request marks.
const maxMarks = 100

type unreadView struct {
	AccountID schema.AccountID `json:"accountId"`
	Comments  int              `json:"comments"`
	Mentions  int              `json:"mentions"`
}

// itemView is what somebody wrote, as the API shows it. What is not known of it, yet or any
// more, is null.
type itemView struct {
	ID        schema.ItemID    `json:"id"`
	Kind      string           `json:"kind"`
	Platform  schema.Platform  `json:"platform"`
	AccountID schema.AccountID `json:"accountId"`
	PostID    *schema.PostID   `json:"postId"`
	NativeID  string           `json:"nativeId"`
	ParentID  *schema.ItemID   `json:"parentId"`
	Author    *authorView      `json:"author"`
	Text      *string          `json:"text"`
	URL       *string          `json:"url"`
	WrittenAt answer.Moment    `json:"writtenAt"`
	ReadAt    *answer.Moment   `json:"readAt"`
	IsDeleted bool             `json:"isDeleted"`
}

type authorView struct {
	ID     *string `json:"id"`
	Handle *string `json:"handle"`
	Name   *string `json:"name"`
	URL    *string `json:"url"`
}

func (e *engagement) comments(c *gin.Context) error { return e.list(c, false) }
func (e *engagement) mentions(c *gin.Context) error { return e.list(c, true) }

// list answers with a page of the inbox, the newest first.
func (e *engagement) list(c *gin.Context, mentions bool) error {
	ctx, workspace := c.Request.Context(), workspaceOf(c)
	q := body.NewQuery(c)
	filter := schema.InboxFilter{
		Mentions: mentions, Account: body.QueryID(q, "accountId", schema.ParseID[schema.AccountID]), Unread: readFlag(q, "unread"),
		Limit: q.Integer("limit", body.DefaultLimit, body.MaxLimit),
	}
	if !mentions {
		filter.Post = body.QueryID(q, "postId", schema.ParseID[schema.PostID])
	}
	filter.After = readCursor(q, workspace, filter)
	if err := q.Finish(); err != nil {
		return err
	}
	if err := e.known(c, filter); err != nil {
		return err
	}
	lookahead := filter
	lookahead.Limit++
	entries, err := e.Store.Inbox(ctx, workspace, lookahead)
	if err != nil {
		return err
	}
	unread, err := e.Store.Unread(ctx, workspace)
	if err != nil {
		return err
	}
	more := len(entries) > filter.Limit
	entries = entries[:min(filter.Limit, len(entries))]
	names := make([]schema.ItemName, len(entries))
	for i, entry := range entries {
		names[i] = schema.ItemName{Account: entry.Account, NativeID: entry.NativeID}
	}
	contents, err := e.Contents.InboxItems(ctx, workspace, names)
	if err != nil {
		return err
	}
	items := make([]itemView, len(entries))
	for i, entry := range entries {
		items[i] = viewItem(entry, contents[names[i]])
	}
	next := "" // at the end
	if more {
		next = writeCursor(workspace, filter, entries[len(entries)-1].Place())
	}
	return answer.Several(c, http.StatusOK, map[string]any{
		"items": items, "nextCursor": answer.TextOrNull(next), "hasMore": more,
		"unread": lists.Map(unread, func(n schema.UnreadCount) unreadView { return unreadView{n.Account, n.Comments, n.Mentions} }),
	}, q.Report.Warnings)
}

// known fails for an account or a post that is not the caller's.
func (e *engagement) known(c *gin.Context, filter schema.InboxFilter) error {
	if !filter.Account.IsZero() {
		if _, err := e.account(c, filter.Account); err != nil {
			return err
		}
	}
	if filter.Post.IsZero() {
		return nil
	}
	_, err := e.Store.Post(c.Request.Context(), workspaceOf(c), filter.Post)
	return err
}

func viewItem(entry schema.InboxEntry, content schema.InboxItem) itemView {
	v := itemView{
		ID: entry.ID, Kind: schema.InboxComment, Platform: entry.Platform, AccountID: entry.Account, PostID: answer.IDOrNull(entry.PostID),
		NativeID: entry.NativeID, Text: answer.TextOrNull(content.Text), URL: answer.TextOrNull(answer.URL(content.URL)),
		WrittenAt: answer.Moment(entry.WrittenAt), ReadAt: answer.MomentOrNull(entry.ReadAt), IsDeleted: entry.Deleted,
	}
	if entry.Mention {
		v.Kind = schema.InboxMention
	}
	if entry.ParentID != "" && !entry.Mention {
		parent := schema.ItemIDOf(entry.Account, entry.ParentID)
		v.ParentID = &parent
	}
	if a := content.Author; a != (schema.Author{}) {
		v.Author = &authorView{answer.TextOrNull(a.ID), answer.TextOrNull(a.Handle), answer.TextOrNull(a.Name), answer.TextOrNull(answer.URL(a.URL))}
	}
	return v
}

func readFlag(q *body.Query, name string) bool {
	switch value, given := q.Word(name); {
	case !given || value == "false":
		return false
	case value == "true":
		return true
	default:
		q.Report.Fail(name, body.CodeInvalidValue, "must be true or false")
		return false
	}
}

// A cursor is a place in one list of one workspace: its time, its id, and by what it is known
// to be of that list. It shows nothing that its list does not, and holds as long as the list.
const cursorLength = 8 + 16 + 8

func writeCursor(workspace schema.WorkspaceID, f schema.InboxFilter, at schema.InboxPlace) string {
	raw := binary.BigEndian.AppendUint64(make([]byte, 0, cursorLength), uint64(at.At.UnixMicro()))
	raw = append(raw, at.ID[:]...)
	return base64.RawURLEncoding.EncodeToString(append(raw, listMark(workspace, f, raw)...))
}

// listMark is of a place in the list that a filter selects in a workspace.
func listMark(workspace schema.WorkspaceID, f schema.InboxFilter, place []byte) []byte {
	hash := sha256.New()
	hash.Write(workspace[:])
	hash.Write(f.Account[:])
	hash.Write(f.Post[:])
	hash.Write([]byte{mark(f.Mentions), mark(f.Unread)})
	hash.Write(place)
	return hash.Sum(nil)[:8]
}

func mark(on bool) byte {
	if on {
		return 1
	}
	return 0
}

func readCursor(q *body.Query, workspace schema.WorkspaceID, f schema.InboxFilter) (at schema.InboxPlace) {
	text, given := q.Word("cursor")
	if !given {
		return at
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	known := err == nil && len(raw) == cursorLength && string(raw[24:]) == string(listMark(workspace, f, raw[:24]))
	if known {
		at.At = time.UnixMicro(int64(binary.BigEndian.Uint64(raw))).UTC()
		copy(at.ID[:], raw[8:24])
	}
	if !known || at.At.Year() < 1 { // anybody can make a mark, and PostgreSQL's times begin somewhere
		q.Report.Fail("cursor", body.CodeInvalidValue, "must be the nextCursor of this list, with the same filters")
	}
	return at
}

// mark marks items as read, or as unread.
func (e *engagement) mark(c *gin.Context, f *body.Form) error {
	f.Require("itemIds")
	items, _ := f.List("itemIds", maxMarks)
	ids := make([]schema.ItemID, 0, len(items))
	for i, item := range items {
		id, err := schema.ParseID[schema.ItemID](item.Text)
		if err != nil {
			f.Fail(body.Indexed("itemIds", i), body.CodeInvalidValue, "must be the id of an item")
			continue
		}
		ids = append(ids, id)
	}
	if len(items) == 0 && !f.Report.About("itemIds") {
		f.Fail("itemIds", body.CodeRequired, "at least one item is required")
	}
	read, given := f.Boolean("read")
	if err := f.Finish(); err != nil {
		return err
	}
	changed, err := e.Store.Mark(c.Request.Context(), workspaceOf(c), ids, read || !given)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "changed", changed, f.Report.Warnings)
}
