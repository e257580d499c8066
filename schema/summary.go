package schema

import (
	"slices"
	"time"
)

// Summary is the post as webhooks show it.
func (p *Post) Summary() PostSummary {
	s := PostSummary{
		ID: p.ID, Status: p.Status.String(), ExternalID: p.Content.ExternalID, Metadata: p.Content.Metadata,
		Platforms: make([]PlatformSummary, len(p.Targets)),
	}
	if len(p.Content.Entries) > 0 {
		s.Content = p.Content.Entries[0].Text
	}
	if p.Status == Posted || p.Status == PartiallyFailed {
		s.Status = "published"
	}
	if !p.ScheduledFor.IsZero() {
		s.ScheduledFor = &p.ScheduledFor
	}
	var last time.Time
	for i := range p.Targets {
		s.Platforms[i] = p.Targets[i].summary()
		if at := p.Targets[i].PostedAt; at.After(last) {
			last = at
		}
	}
	if !last.IsZero() {
		s.PublishedAt = &last
	}
	return s
}

// ThreadID is the id of the thread that the post carries: the post's own, under another
// prefix.
func (p *Post) ThreadID() ThreadID { return ThreadID(p.ID) }

// ThreadSummary is the thread that the post carries, as webhooks show it. Its status goes
// by entries, the post's by targets: of a thread that broke off, the post has failed on
// that target and the thread is partially published.
func (p *Post) ThreadSummary() ThreadSummary {
	post := p.Summary()
	t := ThreadSummary{
		ID: p.ThreadID(), PostID: p.ID, Title: p.Content.Thread.Title, Status: post.Status, ScheduledFor: post.ScheduledFor,
		ExternalID: post.ExternalID, Metadata: post.Metadata, Platforms: post.Platforms, PublishedAt: post.PublishedAt,
		Entries: make([]EntrySummary, len(p.Content.Entries)),
	}
	for i := range p.Content.Entries {
		t.Entries[i] = p.entrySummary(i)
	}
	if p.done() {
		t.Status = threadStatus(t.Entries)
	}
	return t
}

// done tells whether every target came to its own end.
func (p *Post) done() bool { return p.Status.Terminal() && p.Status != Cancelled }

// threadStatus is the status of a thread that is done.
func threadStatus(entries []EntrySummary) string {
	posted, any := true, false
	for _, e := range entries {
		posted = posted && e.Status == Posted.String()
		any = any || len(e.PlatformPostIDs) > 0
	}
	switch {
	case posted:
		return "published"
	case any:
		return "partially_published"
	default:
		return "failed"
	}
}

// entrySummary is what became of one entry on all targets. Where several accounts of one
// platform have it, the first is shown.
func (p *Post) entrySummary(entry int) EntrySummary {
	s := EntrySummary{Position: entry + 1, Content: p.Content.Entries[entry].Text, Status: TargetPending.String()}
	posted := 0
	for i := range p.Targets {
		t := &p.Targets[i]
		n := slices.IndexFunc(t.Receipts, func(r Receipt) bool { return r.Entry == entry && !r.Open })
		if n < 0 {
			continue
		}
		posted++
		if s.PlatformPostIDs == nil {
			s.PlatformPostIDs = map[Platform]EntryPost{}
		}
		if _, shown := s.PlatformPostIDs[t.Platform]; !shown {
			s.PlatformPostIDs[t.Platform] = EntryPost{t.Receipts[n].NativeID, t.Receipts[n].URL}
		}
	}
	if p.done() {
		s.Status = StatusOf(posted, len(p.Targets)-posted).String()
	}
	return s
}

func (t *Target) summary() PlatformSummary {
	s := PlatformSummary{Platform: t.Platform, AccountID: t.Account, Status: t.State.String()}
	if t.State == TargetFailed {
		s.Error = t.Error
	}
	if len(t.Receipts) > 0 {
		s.PostID, s.URL = t.Receipts[0].NativeID, t.Receipts[0].URL
	}
	if !t.PostedAt.IsZero() {
		s.PostedAt = &t.PostedAt
	}
	return s
}
