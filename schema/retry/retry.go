// Package retry is how what has failed is tried again.
package retry

import "time"

// Policy is how something that has failed is tried again, where who refused it names no time. docs/retries.md is
// made from those there are.
type Policy struct {
	Of     string        // what is tried, in words
	First  time.Duration // the wait before the second try
	Factor int           // how many times as long each further wait is
	Cap    time.Duration // the longest wait
	Tries  int           // the first one included; 0: until it succeeds, or nobody wants it any more
	Jitter float64       // by what part of it a wait is longer or shorter at most
}

// EntryTries is how many platform calls of one entry may fail before it has failed, where the post names no other
// number.
const EntryTries = 5

// The policies there are.
var (
	Entry = Policy{
		Of: "an entry of a post, a first comment, a reply", First: 2 * time.Second, Factor: 2, Cap: 5 * time.Minute, Tries: EntryTries, Jitter: .25,
	}
	Renewal    = Policy{Of: "the credentials of an account", First: 2 * time.Second, Factor: 2, Cap: 5 * time.Minute, Jitter: .25}
	Delivery   = Policy{Of: "the delivery of a webhook", First: 2 * time.Second, Factor: 2, Cap: 8 * time.Second, Tries: 4}
	Collection = Policy{Of: "the reading of an account's figures and comments", First: time.Minute, Factor: 2, Cap: 6 * time.Hour}
	Dead       = Policy{Of: "the same, where the credentials were refused", First: time.Hour, Factor: 2, Cap: 24 * time.Hour}
	Stream     = Policy{Of: "a public stream, from the next host", First: 200 * time.Millisecond, Factor: 2, Cap: 10 * time.Second}
	Store      = Policy{Of: "PostgreSQL, from a stage", First: 200 * time.Millisecond, Factor: 2, Cap: 500 * time.Millisecond}
	Sink       = Policy{Of: "ClickHouse, from the sink", First: 200 * time.Millisecond, Factor: 2, Cap: 5 * time.Second}
	Chore      = Policy{Of: "a chore; never later than its interval", First: 10 * time.Second, Factor: 2, Cap: time.Minute}
)

// Policies returns all of them.
func Policies() []Policy {
	return []Policy{
		Entry, Renewal, Delivery, Collection, Dead, Stream, Store, Sink, Chore,
	}
}

// Wait returns how long to wait after a failure that came after a number of others. random is from 0 to 1; it
// spreads the waits of a policy with jitter.
func (p Policy) Wait(failures int, random float64) time.Duration {
	wait := p.First
	for range failures {
		if wait >= p.Cap {
			break
		}
		wait *= time.Duration(p.Factor)
	}
	wait = min(wait, p.Cap)
	spread := time.Duration(p.Jitter * float64(wait))
	return wait - spread + time.Duration(random*float64(2*spread))
}
