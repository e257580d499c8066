package postgrestest

import (
	"strings"
	"time"

	"crier/schema"
)

// Attempts returns the timeline of a post.
func (f *Fixture) Attempts(p schema.Post) []schema.Attempt {
	f.Helper()
	_, got, err := f.Gateway.Attempts(f.Context(), f.Workspace, p.ID)
	f.Must(err)
	return got
}

// UncappedPost is a post to an account that has no other.
func (f *Fixture) UncappedPost(in time.Duration) schema.Post {
	p := f.Post(1, in)
	p.Targets[0].Account = schema.NewID[schema.AccountID](f.Store.Now())
	return p
}

// Fault records a fault and reports whether its message is dead.
func (f *Fixture) Fault(x schema.Fault) (dead bool) {
	f.Helper()
	x.Tries, x.Reason = 1, "planted \x00 \xff"
	if x.Message.Value == nil {
		x.Message.Value = []byte("{")
	}
	dead, err := f.Store.Fault(f.Context(), x)
	f.Must(err)
	return dead
}

// Found is the outcome of a call that has made a post with an id.
func Found(id string) schema.Outcome {
	return schema.Outcome{Receipt: schema.Receipt{NativeID: id, URL: "https://x/" + id}}
}

// ExpireLeases ends the leases of all claims.
func (f *Fixture) ExpireLeases() {
	f.Helper()
	f.Exec(`update targets set lease_until = now() - interval '6 seconds' where state = 1`)
	f.Exec(`update comments set lease_until = now() - interval '6 seconds' where state = 1`)
}

// EndWaits ends the waits of all targets.
func (f *Fixture) EndWaits() {
	f.Helper()
	f.Exec(`update targets set next_at = now()`)
}

// MustClaim claims a target and fails the test where it cannot be claimed.
func (f *Fixture) MustClaim(p schema.Post, n int16) schema.Delivery {
	f.Helper()
	claimed := f.Claim(p, n)
	if len(claimed) != 1 {
		f.Fatalf("claimed %d of target %d, want it", len(claimed), n)
	}
	return claimed[0]
}

// Read reads a post.
func (f *Fixture) Read(p schema.Post) schema.Post {
	f.Helper()
	got, err := f.Gateway.Post(f.Context(), f.Workspace, p.ID)
	f.Must(err)
	return got
}

// Retry retries a failed post in some time from now.
func (f *Fixture) Retry(p schema.Post, in time.Duration) schema.Post {
	f.Helper()
	retried, err := f.Gateway.Retry(f.Context(), f.Workspace, p.ID, schema.Retry{Delay: in})
	f.Must(err)
	return retried.Post
}

// PostOn is a scheduled post to n accounts, due at a time.
func (f *Fixture) PostOn(n int, at time.Time) schema.Post {
	p := f.Post(n, 0)
	p.ScheduledFor = at
	return p
}

// Update edits a post.
func (f *Fixture) Update(p schema.Post, change func(*schema.Post)) (schema.Post, error) {
	return f.Gateway.Update(f.Context(), f.Workspace, p.ID, func(p *schema.Post, _ schema.QueueReader) error { change(p); return nil })
}

// Post is a scheduled post to n accounts, due in some time from now.
func (f *Fixture) Post(n int, in time.Duration) schema.Post {
	now := f.Store.Now()
	p := schema.Post{
		ID: schema.NewID[schema.PostID](now), Workspace: f.Workspace, Version: 1, Status: schema.Scheduled,
		ScheduledFor: now.Add(in), Timezone: "UTC", FromAPI: true, CreatedAt: now, UpdatedAt: now,
		Content: schema.Content{Entries: []schema.Entry{{Text: "hello"}}},
	}
	for i := range n {
		p.Targets = append(p.Targets, schema.Target{
			N: int16(i), Account: f.Accounts[i], Platform: schema.Mastodon, FirstStep: schema.StepPublish,
		})
	}
	return p
}

// Create creates a post.
func (f *Fixture) Create(p schema.Post) schema.Post {
	f.Helper()
	_, err := f.Gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{p}})
	f.Must(err)
	return p
}

// Claim claims a target; it returns none that cannot be claimed.
func (f *Fixture) Claim(p schema.Post, n int16) []schema.Delivery {
	f.Helper()
	d, err := f.Publish.Claim(f.Context(), []schema.TargetRef{{Post: p.ID, N: n, Version: p.Version}})
	f.Must(err)
	return d
}

// Finish stores what a step came to.
func (f *Fixture) Finish(d schema.Delivery, o schema.Outcome) {
	f.Helper()
	f.Must(f.Publish.Finish(f.Context(), d.After(o, f.Store.Now(), 0)))
}

// Status reads the status of a post.
func (f *Fixture) Status(p schema.Post) schema.PostStatus {
	f.Helper()
	got, err := f.Gateway.Post(f.Context(), f.Workspace, p.ID)
	f.Must(err)
	return got.Status
}

// ForPost puts a post's id into a statement, for each $.
func ForPost(p schema.Post, sql string) string { return strings.ReplaceAll(sql, "$", UUIDText(p.ID)) }
