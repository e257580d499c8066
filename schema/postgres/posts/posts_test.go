package posts_test

import (
	"maps"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

func TestACancelHolds(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, time.Hour))
	cancelled, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID)
	if err != nil || !cancelled {
		t.Fatalf("Delete = %t, %v", cancelled, err)
	}
	if d := f.Claim(p, 0); len(d) != 0 || f.Status(p) != schema.Cancelled || len(f.Jobs()) != 0 {
		t.Fatalf("claimed %d, status %v, %d jobs", len(d), f.Status(p), len(f.Jobs()))
	}
	types := f.EventTypes()
	if cancelled, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID); err != nil || !cancelled {
		t.Errorf("once more, Delete = %t, %v", cancelled, err)
	}
	if again := f.EventTypes(); !maps.Equal(again, types) || types[schema.PostCancelled] != 1 {
		t.Errorf("events are %v, were %v; want one cancel", again, types)
	}
}

func TestAnEditLeavesTheOldVersionBehind(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(2, 0))
	edited, err := f.Gateway.Update(t.Context(), f.Workspace, p.ID, func(p *schema.Post, _ schema.QueueReader) error {
		p.Content.Entries[0].Text = "new"
		p.Targets = p.Targets[:1]
		return nil
	})
	if err != nil || edited.Version != 2 {
		t.Fatalf("version %d, %v", edited.Version, err)
	}
	if d := f.Claim(p, 0); len(d) != 0 {
		t.Fatal("the old version was claimed")
	}
	d := f.Claim(edited, 0)
	if len(d) != 1 || d[0].Text != "new" {
		t.Fatalf("claimed %+v", d)
	}
	_, err = f.Gateway.Update(t.Context(), f.Workspace, p.ID, func(*schema.Post, schema.QueueReader) error { return nil })
	postgrestest.WantKind(t, err, schema.InvalidState)
}

func TestACancelSkipsFirstComments(t *testing.T) {
	for name, isInHand := range map[string]bool{"that wait": false, "in hand": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.Post(2, 0)
			p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
			f.Create(p)
			f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n0"}})
			f.Finish(f.Claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
			id := schema.CommentID(f.Jobs()[0].ID)
			var late schema.Delivery
			if isInHand {
				late = f.ClaimComment()
			}
			f.Retry(p, time.Hour)
			if _, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID); err != nil {
				t.Fatal(err)
			}
			if comment := f.Read(p).Targets[0].Comments[0]; comment.State != schema.CommentSkipped || len(f.Jobs()) != 0 {
				t.Errorf("the comment is %v, %d jobs; want it skipped", comment.State, len(f.Jobs()))
			}
			f.ExpireLeases()
			if claimed, err := f.Comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(claimed) != 0 {
				t.Errorf("claimed %+v, %v", claimed, err)
			}
			if !isInHand {
				return
			}
			f.FinishComment(late, postgrestest.Found("c0"))
			if comment := f.Read(p).Targets[0].Comments[0]; comment.State != schema.CommentPosted || comment.NativeID != "c0" {
				t.Errorf("the comment is %+v; want what came of its call", comment)
			}
		})
	}
}
