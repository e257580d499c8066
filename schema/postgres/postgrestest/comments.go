package postgrestest

import (
	"context"

	"crier/schema"
)

// ReceiveItem stores an item of the inbox, written to the first account.
func (f *Fixture) ReceiveItem(nativeID, kind string) schema.ItemID {
	f.Helper()
	account := schema.Account{ID: f.Accounts[0], Workspace: f.Workspace, Platform: schema.Mastodon}
	_, err := f.Gateway.Receive(f.Context(), account, []schema.Received{{
		Item:  schema.InboxItem{Kind: kind, NativeID: nativeID, Text: "hello?", PostNativeID: "p", WrittenAt: f.Store.Now()},
		State: `{"visibility":"unlisted"}`,
	}})
	f.Must(err)
	return schema.ItemIDOf(account.ID, nativeID)
}

// NewReply creates a reply to an item that is received for it.
func (f *Fixture) NewReply() schema.CommentID {
	f.Helper()
	id := schema.NewID[schema.CommentID](f.Store.Now())
	_, err := f.Gateway.CreateReply(f.Context(), schema.ReplyCreation{
		Workspace: f.Workspace, Reply: id, Item: f.ReceiveItem("c1", schema.InboxComment), Text: "here",
	})
	f.Must(err)
	return id
}

// ClaimComment claims the only first comment that there is a job for.
func (f *Fixture) ClaimComment() schema.Delivery {
	f.Helper()
	jobs := f.Jobs()
	if len(jobs) != 1 {
		f.Fatalf("%d jobs, want the comment's", len(jobs))
	}
	claimed, err := f.Comment.Claim(f.Context(), []schema.CommentID{schema.CommentID(jobs[0].ID)})
	if err != nil || len(claimed) != 1 {
		f.Fatalf("claimed %d comments, %v", len(claimed), err)
	}
	return claimed[0]
}

// FinishComment stores what a step of a first comment came to.
func (f *Fixture) FinishComment(d schema.Delivery, o schema.Outcome) {
	f.Helper()
	f.Must(f.Comment.Finish(context.WithoutCancel(f.Context()), d.After(o, f.Store.Now(), 0).OfComment(d)))
}

// NewFirstComment publishes a post with a first comment and returns the comment.
func (f *Fixture) NewFirstComment() schema.CommentID {
	f.Helper()
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Text: "first"}}
	f.Create(p)
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n"}})
	stored, err := f.Gateway.Post(f.Context(), f.Workspace, p.ID)
	f.Must(err)
	return stored.Targets[0].Comments[0].ID
}
