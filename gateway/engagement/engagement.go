package engagement

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/body"
	"crier/gateway/directory"
	"crier/schema"
)

// Store is all that engagement asks of the database.
type Store interface {
	inboxStore
	replyStore
}

// inboxStore knows what accounts have received, without its content.
type inboxStore interface {
	// Inbox returns what a workspace's accounts have received, the newest first.
	Inbox(ctx context.Context, workspace schema.WorkspaceID, filter schema.InboxFilter) ([]schema.InboxEntry, error)
	// Item returns an item of a workspace, or NotFound.
	Item(ctx context.Context, workspace schema.WorkspaceID, id schema.ItemID) (schema.InboxEntry, error)
	// Unread counts what nobody has read, by account.
	Unread(ctx context.Context, workspace schema.WorkspaceID) ([]schema.UnreadCount, error)
	// Mark marks items as read, or as unread, and returns how many were not yet. It is NotFound
	// where one is not the workspace's, and none is marked then.
	Mark(ctx context.Context, workspace schema.WorkspaceID, ids []schema.ItemID, read bool) (int, error)
}

// replyStore keeps replies.
type replyStore interface {
	admission.AnswerReader
	// CreateReply makes a reply, or returns the answer of the request it repeats; the error is
	// IdempotencyConflict when that one had another body.
	CreateReply(ctx context.Context, creation schema.ReplyCreation) (schema.Created, error)
	// Reply returns a reply of a workspace, or NotFound.
	Reply(ctx context.Context, workspace schema.WorkspaceID, id schema.CommentID) (schema.Reply, error)
	// Post returns a post of a workspace, or NotFound.
	Post(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (schema.Post, error)
}

// Contents are what people wrote.
type Contents interface {
	// InboxItems returns what people wrote to a workspace's accounts, by name; what is not
	// stored, yet or any more, is left out.
	InboxItems(ctx context.Context, workspace schema.WorkspaceID, names []schema.ItemName) (map[schema.ItemName]schema.InboxItem, error)
}

// Opener unseals the credentials of accounts.
type Opener interface {
	Open(account schema.Account) (schema.Credentials, error)
}

// Config is what engagement is served with.
type Config struct {
	Store       Store
	Contents    Contents
	Accounts    directory.Directories
	Platforms   connectors.Resolver
	Vault       Opener
	Constraints func(schema.Platform) schema.Constraints
	Now         func() time.Time
}

// Routes returns the operations of engagement.
func Routes(c Config) []admission.Route {
	e := &engagement{c}
	return []admission.Route{
		admission.Handle(http.MethodGet, "/engagement/comments", schema.Read, e.comments),
		admission.Handle(http.MethodGet, "/engagement/mentions", schema.Read, e.mentions),
		admission.Handle(http.MethodPost, "/engagement/read", schema.Write, body.WithForm(e.mark)),
		admission.Handle(http.MethodPost, "/engagement/replies", schema.Write, body.WithForm(e.reply)),
		admission.Handle(http.MethodGet, "/engagement/replies/:id", schema.Read, e.show),
		admission.Handle(http.MethodGet, "/engagement/transcript", schema.Read, e.transcript),
	}
}

// engagement is the resource.
type engagement struct{ Config }

func workspaceOf(c *gin.Context) schema.WorkspaceID { return admission.RequestOf(c).Key.Workspace }

// account returns an account of the caller's, or NotFound.
func (e *engagement) account(c *gin.Context, id schema.AccountID) (*schema.Account, error) {
	has := func(d *directory.Directory) bool { return d.Account(id) != nil }
	accounts, err := e.Accounts.Find(c.Request.Context(), workspaceOf(c), e.Now(), has)
	if err != nil {
		return nil, err
	}
	account := accounts.Account(id)
	if account == nil {
		return nil, &schema.Error{Kind: schema.NotFound, Message: "there is no such account"}
	}
	return account, nil
}
