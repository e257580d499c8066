package machine

import (
	"slices"
	"strconv"
	"time"

	"crier/schema"
)

// trait is how platforms differ as far as the state machine can tell.
type trait struct {
	platform   schema.Platform
	prepares   bool          // before the first entry, too
	cannotFind bool          // nobody can look
	keyed      bool          // what is there already is refused as a duplicate
	repeats    bool          // answers a call under a key it knows with what the first one made
	open       bool          // goes on by itself after the call
	listed     time.Duration // how much later than there what was made may be listed
	threads    bool
	comments   bool
	rootOnly   bool // takes comments on the first entry only
	pause      time.Duration
}

func traits() []trait {
	return []trait{
		{platform: schema.Mastodon, threads: true, comments: true, rootOnly: true, pause: 1500 * time.Millisecond},
		{platform: schema.Bluesky, keyed: true, threads: true, comments: true, pause: 1500 * time.Millisecond},
		{platform: schema.Threads, prepares: true, threads: true, comments: true, pause: 30 * time.Second},
		{platform: schema.YouTube, prepares: true, open: true, comments: true, listed: schema.UsualListing},
		{platform: schema.Twitter, repeats: true, threads: true, comments: true, pause: time.Second},
		{platform: schema.Telegram, cannotFind: true},
	}
}

func traitOf(p schema.Platform) trait {
	all := traits()
	return all[slices.IndexFunc(all, func(t trait) bool { return t.platform == p })]
}

func constraintsOf(p schema.Platform) schema.Constraints {
	t := traitOf(p)
	return schema.Constraints{
		Platform:     p,
		CannotFind:   t.cannotFind,
		Listing:      schema.Listing{Within: t.listed},
		Thread:       schema.ThreadLimit{Supported: t.threads, Pause: t.pause},
		FirstComment: schema.CommentLimit{Supported: t.comments, RootOnly: t.rootOnly},
	}
}

// platform is all platforms: what each has of every entry and comment.
type platform struct {
	*simulation
	things map[spot]*thing
	gaveUp map[spot]bool                 // after it took the last call
	down   map[schema.Platform]time.Time // until when it answers nothing
	ids    int
}

// thing is what a visible call made.
type thing struct {
	id         string
	processing bool      // taken, not visible yet
	listedAt   time.Time // until when only what was prepared, or its id, tells of it
}

func newPlatform(s *simulation) *platform {
	return &platform{simulation: s, things: map[spot]*thing{}, gaveUp: map[spot]bool{}, down: map[schema.Platform]time.Time{}}
}

const (
	maxOutages    = 4
	longestOutage = 3 * time.Hour
)

// startOutages lets platforms be out of reach for a while.
func (p *platform) startOutages() {
	if p.faults.down == 0 {
		return
	}
	all := traits()
	for range p.rand.IntN(maxOutages) {
		which := all[p.rand.IntN(len(all))].platform
		p.after(p.between(0, day), func() { p.down[which] = p.now.Add(p.between(time.Minute, longestOutage)) })
	}
}

func (p *platform) isDown(d schema.Delivery) bool {
	return p.now.Before(p.down[d.Account.Platform]) && p.faulty()
}

const (
	// latest is how long after the end of its call an effect may still appear: less than
	// two settle times, which is what the second look relies on.
	latest          = 2*schema.SettleTime - 500*time.Millisecond
	slowestCall     = 40 * time.Second
	longestLimit    = 15 * time.Minute
	longestProcess  = 90 * time.Second
	longestPrepare  = 4 * time.Minute
	processingFails = 0.2
)

// prepare makes the calls that nobody can see.
func (p *platform) prepare() (schema.Outcome, time.Duration) {
	in := p.between(5*time.Millisecond, 300*time.Millisecond)
	if !p.chance(p.faults.platform) {
		return schema.Outcome{Progress: schema.Progress{Ready: true, State: []byte("{}")}}, in
	}
	switch p.rand.IntN(4) {
	case 0:
		return schema.Outcome{Progress: schema.Progress{RetryIn: p.between(time.Second, time.Minute)}}, in
	case 1:
		return schema.Outcome{Progress: schema.Progress{Ready: true}}, p.between(time.Second, longestPrepare)
	case 2:
		return p.limited(), in
	default:
		return failedWith(schema.Retryable, "HTTP 502"), in
	}
}

// look tells what is there, as it was when the look began.
func (p *platform) look(d schema.Delivery) (schema.Outcome, time.Duration) {
	p.check.looks(d)
	in := p.between(5*time.Millisecond, 300*time.Millisecond)
	if traitOf(d.Account.Platform).cannotFind {
		return schema.Outcome{Verdict: schema.CannotTell}, in
	}
	if p.isDown(d) {
		p.seen.downLooks++
		return failedWith(schema.Retryable, "no answer"), in
	}
	if p.chance(p.faults.look) {
		return p.failedLook(), in
	}
	if traitOf(d.Account.Platform).repeats && p.rand.IntN(2) == 0 {
		p.seen.repeats++
		p.check.mayRepeat(d)
		return schema.Outcome{Verdict: schema.SafeToRepeat}, in
	}
	t := p.things[spotOf(d)]
	isKnown := d.Receipt(d.Entry) != nil || d.Comment == nil && len(d.Progress) > 0 && p.rand.IntN(3) == 0 // else it is forgotten
	if t == nil && p.gaveUp[spotOf(d)] && p.rand.IntN(2) == 0 {                                            // others say that it is not there
		p.seen.gaveUp++
		p.check.saysWhy(d)
		o := failedWith(schema.Refused, "the video is too short")
		o.Verdict = schema.NotThere
		return o, in
	}
	switch {
	case t == nil && isKnown:
		p.seen.notMade++
		p.check.sawNothing(d)
		return schema.Outcome{Verdict: schema.NotMade}, in
	case t == nil, !isKnown && p.now.Before(t.listedAt):
		if t != nil {
			p.seen.unlisted++
		}
		p.check.sawNothing(d)
		return schema.Outcome{Verdict: schema.NotThere}, in
	}
	p.seen.found++
	return schema.Outcome{Verdict: schema.Found, Receipt: schema.Receipt{NativeID: t.id, Open: t.processing}}, in
}

func (p *platform) failedLook() schema.Outcome {
	switch p.rand.IntN(8) {
	case 0:
		return failedWith(schema.TokenDead, "the token is revoked")
	case 1:
		return schema.Outcome{Verdict: schema.CannotTell}
	case 2, 3:
		return p.limited()
	default:
		return failedWith(schema.Retryable, "HTTP 502")
	}
}

func (p *platform) limited() schema.Outcome {
	o := failedWith(schema.RateLimited, "slow down")
	o.Err.RetryAfter = p.between(0, longestLimit)
	return o
}

func failedWith(kind schema.ErrorKind, message string) schema.Outcome {
	return schema.Outcome{Err: &schema.Error{Kind: kind, Message: message}}
}

// call is a visible call in flight.
type call struct {
	platform *platform
	delivery schema.Delivery
	outcome  schema.Outcome // as its caller sees it after lasts
	lasts    time.Duration
	ends     time.Time // an effect that comes later is a late one
	effectAt time.Time // zero: none
	effect   int       // number of the effect that holds: a crash puts it to another time
}

// call decides what becomes of a visible call: what its caller hears by the deadline,
// and when, if ever, it takes effect.
func (p *platform) call(d schema.Delivery, deadline time.Duration) *call {
	c := &call{platform: p, delivery: d, lasts: min(p.between(20*time.Millisecond, 500*time.Millisecond), deadline)}
	delete(p.gaveUp, spotOf(d))
	if p.exists(d) && traitOf(d.Account.Platform).keyed {
		p.seen.duplicates++
		c.outcome = failedWith(schema.Duplicate, "there already")
		return c
	}
	takesEffect := true
	if p.isDown(d) {
		takesEffect = p.loses(c)
	} else if p.chance(p.faults.platform) {
		takesEffect = p.goesWrong(c, deadline)
	}
	c.ends = p.now.Add(c.lasts)
	if !takesEffect {
		return c
	}
	if c.effectAt.IsZero() {
		c.effectAt = p.now.Add(p.between(0, c.lasts))
		c.outcome.Receipt = p.newReceipt(d)
	}
	c.schedule()
	return c
}

func (p *platform) exists(d schema.Delivery) bool { return p.things[spotOf(d)] != nil }

func (p *platform) newReceipt(d schema.Delivery) schema.Receipt {
	p.ids++
	id := strconv.Itoa(p.ids)
	if traitOf(d.Account.Platform).repeats {
		id = "the " + spotOf(d).String()
	}
	return schema.Receipt{NativeID: id, Open: traitOf(d.Account.Platform).open && d.Comment == nil}
}

// goesWrong makes a call fail in one of the possible ways, and reports whether it takes effect
// all the same.
func (p *platform) goesWrong(c *call, deadline time.Duration) bool {
	switch p.rand.IntN(10) {
	case 0:
		p.seen.refused++
		c.outcome = failedWith(schema.Refused, "not like this")
		return false
	case 1:
		c.outcome = p.limited()
		return false
	case 2:
		c.outcome = failedWith(schema.Retryable, "HTTP 503")
		return false
	case 3:
		c.outcome = failedWith(schema.TokenDead, "the token is revoked")
		return false
	case 4: // evidence of an earlier call, no proof
		p.seen.duplicates++
		c.outcome = failedWith(schema.Duplicate, "you have said that")
		return false
	case 5: // slow: past the deadline nobody hears the answer
		c.lasts = p.between(time.Second, slowestCall)
		if c.lasts > deadline {
			c.lasts = deadline
			return p.loses(c)
		}
		return true
	default:
		return p.loses(c)
	}
}

// loses a call's answer; what it did may appear when its caller is long gone.
func (p *platform) loses(c *call) bool {
	p.seen.lostAnswers++
	c.outcome = failedWith(schema.Unknown, "the answer was lost")
	switch p.rand.IntN(3) {
	case 0:
		return false
	case 1:
		c.effectAt = p.now.Add(p.between(0, c.lasts))
	default:
		c.effectAt = p.now.Add(c.lasts + p.between(0, latest))
	}
	return true
}

// schedule makes the call take effect at its time, unless that is changed before.
func (c *call) schedule() {
	c.effect++
	current := c.effect
	c.platform.after(c.effectAt.Sub(c.platform.now), func() {
		if c.effect == current {
			c.takeEffect()
		}
	})
}

// abandon is the end of a call whose caller died: it has taken effect, or takes effect
// soon, or never.
func (c *call) abandon() {
	p := c.platform
	p.check.abandoned(c.delivery)
	if c.effectAt.IsZero() || !c.effectAt.After(p.now) {
		return
	}
	c.ends = p.now
	c.effect++
	if p.rand.IntN(2) == 0 {
		c.effectAt = p.now.Add(p.between(0, latest))
		c.schedule()
	}
}

func (c *call) takeEffect() {
	p, s := c.platform, spotOf(c.delivery)
	late := p.now.After(c.ends)
	if late {
		p.seen.lateEffects++
	}
	trait := traitOf(c.delivery.Account.Platform)
	if (trait.keyed || trait.repeats) && p.things[s] != nil {
		return
	}
	receipt := c.outcome.Receipt
	if receipt.NativeID == "" {
		receipt = p.newReceipt(c.delivery)
	}
	p.check.appeared(c.delivery, receipt, late)
	t := &thing{id: receipt.NativeID, processing: receipt.Open, listedAt: p.now.Add(p.between(trait.listed/2, trait.listed))}
	p.things[s] = t
	if t.processing {
		p.after(p.between(time.Second, longestProcess), func() { p.process(c.delivery, t) })
	}
}

// process ends what a platform does by itself: the thing is visible, or gone.
func (p *platform) process(d schema.Delivery, t *thing) {
	if p.chance(processingFails) && !p.faults.none() {
		p.seen.vanished++
		delete(p.things, spotOf(d))
		p.gaveUp[spotOf(d)] = true
		p.check.vanished(d, t.id)
		return
	}
	p.seen.processed++
	t.processing = false
}
