package schema

import "time"

// Summary is the post as webhooks show it.
func (p *Post) Summary() PostSummary {
	s := PostSummary{
		ID: p.ID, Status: p.Status.String(), ExternalID: p.Content.ExternalID, Metadata: p.Content.Metadata,
		Platforms: make([]PlatformSummary, len(p.Targets)),
	}
	if len(p.Content.Entries) > 0 {
		s.Content = p.Content.Entries[0].Text
	}
	if p.Status == Posted {
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
