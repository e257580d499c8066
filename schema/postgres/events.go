package postgres

import (
	"time"

	"crier/schema"
)

// postEvent is an event about a post, with the post as webhooks show it.
func postEvent(t schema.EventType, p *schema.Post, now time.Time) schema.Event {
	data := schema.PostData{Post: p.Summary()}
	return schema.Event{
		ID: schema.NewEventID(now), Type: t, Workspace: p.Workspace, Post: p.ID, At: now, Trace: p.Trace,
		Data: appendPostData(make([]byte, 0, documentSize), &data),
	}
}

// targetFact is the event by which analytics counts a target.
func targetFact(r *schema.Result, now time.Time) schema.Event {
	e := schema.Event{
		ID: schema.NewEventID(now), Type: schema.TargetWasPosted, Workspace: r.Workspace, Post: r.Ref.Post,
		Account: r.Account, Platform: r.Platform, At: now, Lateness: now.Sub(r.DueAt).Seconds(),
	}
	if r.State == schema.TargetFailed {
		e.Type = schema.TargetHasFailed
		if r.Error != nil {
			e.Code = r.Error.Code
		}
	}
	return e
}

// threadEvent is an event about the thread that a post carries.
func threadEvent(t schema.EventType, p *schema.Post, thread *schema.ThreadSummary, now time.Time) schema.Event {
	return schema.Event{
		ID: schema.NewEventID(now), Type: t, Workspace: p.Workspace, Post: p.ID, At: now, Data: encode(schema.ThreadData{Thread: *thread}),
	}
}

// scheduledEvents are the events of a post that is scheduled: its own, and its thread's.
func scheduledEvents(p *schema.Post, now time.Time) []schema.Event {
	events := []schema.Event{postEvent(schema.PostScheduled, p, now)}
	if p.Content.Thread != nil {
		thread := p.ThreadSummary()
		events = append(events, threadEvent(schema.ThreadScheduled, p, &thread, now))
	}
	return events
}

// doneEvents are the events of a post whose last target is done: published when any
// target was posted, failed when none was; and its thread's.
func doneEvents(p *schema.Post, now time.Time) []schema.Event {
	outcome := schema.PostPublished
	if p.Status == schema.Failed {
		outcome = schema.PostFailed
	}
	events := []schema.Event{postEvent(outcome, p, now)}
	if p.Content.Thread != nil {
		thread := p.ThreadSummary()
		outcome := schema.EventType("thread." + thread.Status) // one word for both
		events = append(events, threadEvent(outcome, p, &thread, now))
	}
	return events
}
