package schema

import (
	"testing"
	"time"
)

func TestAnEndStopsItsPostsWithTheReason(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for end, want := range map[End]struct {
		code      string
		reconnect bool
		again     bool
	}{
		EndRevoked:     {"account_needs_reconnect", true, false},
		EndScope:       {"account_needs_reconnect", true, false},
		EndRemoved:     {"account_needs_reconnect", true, true},
		EndSuspended:   {"account_suspended", false, true},
		EndDeactivated: {"account_deactivated", false, true},
		EndDeleted:     {"account_deleted", false, true},
	} {
		t.Run(end.String(), func(t *testing.T) {
			refused := &Error{Kind: TokenDead, End: end, Message: "said the platform"}
			d := Delivery{Step: StepPublish, Entries: 2, Tries: 5, Renews: true, ContinueOnError: true}
			met := d.After(Outcome{Err: refused}, at, 0)
			d.Account = d.Account.Ended(ProblemOf(refused))
			later, blocked := d.Blocked(at)
			for name, r := range map[string]Result{"that meets it": met, "that follows": later} {
				if r.State != TargetFailed || r.Error == nil || r.Error.Code != want.code {
					t.Errorf("a post %s is %+v, want it failed as %s", name, r, want.code)
				}
			}
			if !blocked || d.Account.MayRenew(at) {
				t.Error("the account is called on")
			}
			if s := d.Account.Summary(); s.IsConnected || s.NeedsReconnect != want.reconnect {
				t.Errorf("it is shown as %+v, want needsReconnect %t", s, want.reconnect)
			}
			if again := end.EndLookIn(0) > 0; again != want.again {
				t.Errorf("it is looked at again: %t, want %t", again, want.again)
			}
			if d.Account.Revived().Problem() != nil {
				t.Error("it stays ended")
			}
		})
	}
}

// In May 2026 Meta refused calls of accounts that worked, for days, with the code of a missing permission
// (geoff-maddock/events-tracker #1900).
func TestADoubtfulRefusalFailsItsPostAlone(t *testing.T) {
	at := time.Now()
	refused := Outcome{Err: &Error{Kind: TokenDead, Doubtful: true, Message: "said the platform"}}
	d := Delivery{Step: StepPublish, Entries: 1, Tries: 5, Renews: true}
	if r := d.After(refused, at, 0); r.State != TargetPending || r.Step != StepPublish || r.NextIn != RenewalWait || r.Attempts != 0 {
		t.Errorf("a post that meets it is %+v, want it to wait for the check", r)
	}
	d.Renews = false // the check has found that the account works
	if r := d.After(refused, at, 0); r.State != TargetFailed || r.Error.Code != "platform_refused" || r.Error.Message != "said the platform" {
		t.Errorf("after the check it is %+v, %+v", r, r.Error)
	}
}

func TestACheckAfterADoubtfulRefusal(t *testing.T) {
	at := time.Now()
	renewing := Account{Renewing: true, Renewable: true, CheckedAt: at.Add(-time.Hour)}
	fresh := renewing
	fresh.CheckedAt = at.Add(-time.Second)
	failed := func(kind ErrorKind, end End) RenewalOutcome {
		return RenewalOutcome{Err: &Error{Kind: kind, End: end, Message: "m"}}
	}
	for name, tt := range map[string]struct {
		account Account
		outcome RenewalOutcome
		end     End
		settled bool
		step    RenewalStep
	}{
		"finds it working":                          {renewing, RenewalOutcome{}, NotEnded, true, RenewalIdle},
		"is refused for another reason":             {renewing, failed(Refused, NotEnded), NotEnded, true, RenewalIdle},
		"meets an incident":                         {renewing, failed(Retryable, NotEnded), NotEnded, false, RenewalCheck},
		"finds that the permission is missing":      {renewing, failed(TokenDead, EndScope), EndScope, true, RenewalIdle},
		"finds the token dead, which can be traded": {renewing, failed(TokenDead, NotEnded), NotEnded, false, RenewalIdle},
		"finds it dead though it was just traded":   {fresh, failed(TokenDead, NotEnded), EndRevoked, true, RenewalIdle},
	} {
		t.Run(name, func(t *testing.T) {
			r := Renewal{Account: tt.account, Doubtful: true}.After(tt.outcome, at, 0)
			if r.Account.End != tt.end || r.Settled != tt.settled || r.Step != tt.step {
				t.Errorf("result %+v, want end %q, settled %t, step %d", r, tt.end, tt.settled, tt.step)
			}
			if gave := (Renewal{Account: tt.account, Doubtful: true}).GiveBack(at); gave.Step != RenewalCheck {
				t.Errorf("given back, its step is %d", gave.Step)
			}
		})
	}
}

func TestLimitsAreReadEveryDay(t *testing.T) {
	at := time.Now()
	in := func(days int) time.Time { return at.Add(time.Duration(days) * 24 * time.Hour) }
	ended := Account{Platform: Bluesky}.Ended(AccountProblem{End: EndRevoked})
	for name, tt := range map[string]struct {
		account Account
		due     time.Time
	}{
		"of credentials that do not expire":      {Account{Platform: Bluesky}, in(1)},
		"of a token that is not renewed so soon": {Account{Platform: Instagram, Renewable: true, ExpiresAt: in(60)}, in(1)},
		"with a token that is renewed before":    {Account{Platform: TikTok, Renewable: true, ExpiresAt: at.Add(2 * time.Hour)}, at.Add(108 * time.Minute)},
		"of a token that nobody renews":          {Account{Platform: YouTube, ExpiresAt: in(60)}, in(1)},
		"on X with its own limits":               {Account{Platform: Twitter, Limits: PlatformLimits}, in(1)},
		"on X with the specification's: never":   {Account{Platform: Twitter}, time.Time{}},
		"of a platform that sets them once":      {Account{Platform: Pinterest, Renewable: true, ExpiresAt: in(60)}, in(57)},
		"of one without an expiry: never":        {Account{Platform: Telegram}, time.Time{}},
		"of an account that has ended: never":    {ended, time.Time{}},
		"of one that is disconnected: never":     {Account{Platform: Bluesky, Disconnected: true}, time.Time{}},
	} {
		if got := tt.account.RenewalDue(at, false); !got.Equal(tt.due) {
			t.Errorf("%s: %v, want %v", name, got, tt.due)
		}
	}
}

// A token that is found dead when limits are read is traded for a new one.
func TestADeadTokenOfLimitsIsTraded(t *testing.T) {
	at := time.Now()
	dead := RenewalOutcome{Err: &Error{Kind: TokenDead, Message: "m"}}
	account := Account{Platform: Instagram, Renewable: true, ExpiresAt: at.Add(40 * 24 * time.Hour)}
	if r := (Renewal{Account: account}).After(dead, at, 0); r.Ended || r.Step != RenewalAgain || !r.NextAt.Equal(at) {
		t.Errorf("result = %+v, want a trade now", r)
	}
	account.Renewable = false
	if r := (Renewal{Account: account}).After(dead, at, 0); !r.Ended {
		t.Errorf("without a refresh token it is %+v, want it ended", r)
	}
}

func TestALookIsNoPostOfAnEndedAccount(t *testing.T) {
	d := Delivery{Step: StepFind, Entries: 1, Tries: 5, Account: Account{End: EndSuspended}}
	r := d.After(Outcome{Err: &Error{Kind: TokenDead, End: EndSuspended, Message: "m"}}, time.Now(), 0)
	if r.Error == nil || r.Error.Code != CodeOutcomeUnknown {
		t.Errorf("a post that may be there is %+v, want its outcome unknown", r.Error)
	}
}

func TestALookSettlesARefusal(t *testing.T) {
	at := time.Now()
	underway := Renewal{Account: Account{Renewing: true}}
	suspended := Renewal{Account: Account{End: EndSuspended, EndMessage: "taken down"}, Attempts: 2}
	limits := Renewal{Account: Account{Platform: Instagram, Renewable: true, ExpiresAt: at.Add(40 * 24 * time.Hour)}}
	failed := func(kind ErrorKind, end End) RenewalOutcome {
		return RenewalOutcome{Err: &Error{Kind: kind, End: end, Message: "m"}}
	}
	for name, tt := range map[string]struct {
		renewal Renewal
		outcome RenewalOutcome
		end     End
		ends    bool // as ended
		revived bool
		in      time.Duration // zero: never
	}{
		"of dead credentials":                  {underway, failed(TokenDead, NotEnded), EndRevoked, true, false, 0},
		"of a named end":                       {underway, failed(TokenDead, EndDeactivated), EndDeactivated, true, false, endLookFirst},
		"refused in words nobody knows":        {underway, failed(Refused, NotEnded), EndRevoked, true, false, 0},
		"refused before a post was":            {Renewal{}, failed(Refused, NotEnded), NotEnded, false, false, renewalPatience},
		"of a server that is away":             {underway, failed(Retryable, NotEnded), NotEnded, false, false, renewalQuickness},
		"of an account that has ended since":   {suspended, failed(TokenDead, NotEnded), EndSuspended, false, false, endLookFirst << 3},
		"of one whose server is away":          {suspended, failed(Retryable, NotEnded), EndSuspended, false, false, endLookFirst << 3},
		"of one that works again":              {suspended, RenewalOutcome{}, NotEnded, false, true, 0},
		"of a server with limits of its own":   {Renewal{Account: Account{Platform: Mastodon}}, RenewalOutcome{}, NotEnded, false, false, LimitsAge},
		"of limits, of a token that is good":   {limits, RenewalOutcome{}, NotEnded, false, false, LimitsAge},
		"of one that works again, by a trade":  {Renewal{Account: suspended.Account, Trade: true}, RenewalOutcome{}, NotEnded, false, true, 0},
		"of one that is open and names an end": {Renewal{Account: underway.Account, Open: true}, failed(TokenDead, EndDeleted), EndDeleted, true, false, endLookFirst},
	} {
		t.Run(name, func(t *testing.T) {
			r := tt.renewal.After(tt.outcome, at, 0)
			if r.Account.End != tt.end || r.Ended != tt.ends || r.Revived != tt.revived {
				t.Errorf("result = %+v, want end %q, told %t, revived %t", r, tt.end, tt.ends, tt.revived)
			}
			if in := r.NextAt.Sub(at); tt.in == 0 && !r.NextAt.IsZero() || tt.in > 0 && in != tt.in {
				t.Errorf("looked at again at %v, want in %v", r.NextAt, tt.in)
			}
		})
	}
}
