package engagement

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/validation"
)

// maxReply is the most bytes of a reply on any platform: YouTube's 10,000 characters.
const maxReply = 40_000

type replyResponse struct {
	Success  bool            `json:"success"`
	Reply    replyView       `json:"reply"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

// replyView is a reply as the API shows it.
type replyView struct {
	ID        schema.CommentID    `json:"id"`
	ItemID    schema.ItemID       `json:"itemId"`
	AccountID schema.AccountID    `json:"accountId"`
	Platform  schema.Platform     `json:"platform"`
	Text      string              `json:"text"`
	Status    string              `json:"status"`
	NativeID  *string             `json:"nativeId"`
	URL       *string             `json:"url"`
	CreatedAt answer.Moment       `json:"createdAt"`
	PostedAt  *answer.Moment      `json:"postedAt"`
	Error     *schema.TargetError `json:"error"`
}

func viewReply(r schema.Reply) replyView {
	return replyView{
		ID: r.ID, ItemID: r.ReplyTo.Item, AccountID: r.Account, Platform: r.Platform, Text: r.Text, Status: r.State.String(),
		NativeID: answer.TextOrNull(r.NativeID), URL: answer.TextOrNull(answer.URL(r.URL)), CreatedAt: answer.Moment(r.CreatedAt()),
		PostedAt: answer.MomentOrNull(r.PostedAt), Error: viewCause(r.Error),
	}
}

// viewCause leaves out what only looks that follow need.
func viewCause(e *schema.TargetError) *schema.TargetError {
	if e == nil {
		return nil
	}
	return &schema.TargetError{Code: e.Code, Message: e.Message, At: e.At}
}

// reply makes a reply, which the pipeline publishes.
func (e *engagement) reply(c *gin.Context, f *body.Form) error {
	request, err := admission.Identify(c, f.Object)
	if err != nil {
		return err
	}
	item, text := readReply(f)
	if err := f.Report.Err(); err != nil {
		return err
	}
	entry, err := e.answerable(c, f, item, text)
	if err != nil {
		return request.ReplayOr(c, e.Store, err)
	}
	reply := schema.Reply{
		Comment: schema.Comment{ID: schema.NewID[schema.CommentID](e.Now()), Text: text, ReplyTo: &schema.ReplyTo{Item: item}},
		Account: entry.Account, Platform: entry.Platform,
	}
	created, err := e.Store.CreateReply(c.Request.Context(), schema.ReplyCreation{
		Idempotency: request.Identity, Workspace: workspaceOf(c), Reply: reply.ID, Item: item, Text: text,
		Response: answer.Encode(replyResponse{Success: true, Reply: viewReply(reply), Warnings: f.Report.Warnings}),
	})
	if err != nil {
		return err
	}
	answer.Created(c, created)
	return nil
}

func readReply(f *body.Form) (item schema.ItemID, text string) {
	f.Require("itemId")
	f.Require("text")
	if name, ok := f.Text("itemId", body.MaxName); ok {
		id, err := schema.ParseID[schema.ItemID](name)
		if err != nil {
			f.Fail("itemId", body.CodeInvalidValue, "must be the id of an item")
		}
		item = id
	}
	text, ok := f.Prose("text", maxReply)
	if ok && strings.TrimSpace(text) == "" {
		f.Fail("text", body.CodeInvalidValue, "must not be empty")
	}
	f.NoteUnread()
	return item, text
}

// answerable returns the item, where its platform takes such a reply to it.
func (e *engagement) answerable(c *gin.Context, f *body.Form, item schema.ItemID, text string) (schema.InboxEntry, error) {
	entry, err := e.Store.Item(c.Request.Context(), workspaceOf(c), item)
	if err != nil {
		return entry, err
	}
	account, err := e.account(c, entry.Account)
	if err != nil {
		return entry, err
	}
	if _, err := connectors.As[connectors.Replier](e.Platforms, *account); err != nil {
		return entry, &schema.Error{Kind: schema.InvalidState, Message: account.Platform.String() + " takes no replies"}
	}
	for _, d := range validation.Reply(e.Constraints(account.Platform).For(account), text) {
		f.Report.Add(d)
	}
	return entry, f.Report.Err()
}

func (e *engagement) show(c *gin.Context) error {
	id, err := schema.ParseID[schema.CommentID](c.Param("id"))
	if err != nil {
		return &schema.Error{Kind: schema.NotFound, Message: "there is no such reply"}
	}
	reply, err := e.Store.Reply(c.Request.Context(), workspaceOf(c), id)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "reply", viewReply(reply), nil)
}
