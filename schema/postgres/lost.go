package postgres

import (
	"math/rand/v2"
	"sync"
	"time"

	"crier/schema"
)

// lostClaims remembers claims whose answer this process did not get, though the
// transaction may have committed. The next claim of the same key has the same token and
// takes the lost one over, instead of waiting for its lease: without an answer no call
// was made. Other processes cannot know that.
type lostClaims[K comparable] struct {
	mu   sync.Mutex
	lost map[K]lostClaim
}

type lostClaim struct {
	token int64
	until time.Time // the end of the lease that it may have got
}

func newLostClaims[K comparable]() *lostClaims[K] {
	return &lostClaims[K]{lost: map[K]lostClaim{}}
}

// claimRemembering claims keys, and remembers the claims if no answer comes.
func claimRemembering[K comparable, C any](l *lostClaims[K], keys []K, now func() time.Time, claim func(tokens []int64, takeovers []bool) ([]C, error)) ([]C, error) {
	tokens, takeovers := l.begin(keys)
	claimed, err := claim(tokens, takeovers)
	if err != nil {
		l.unanswered(keys, tokens, now())
		return nil, err
	}
	l.answered(keys)
	return claimed, nil
}

// begin returns the token of each key's claim, and which of them take over a lost one.
func (l *lostClaims[K]) begin(keys []K) (tokens []int64, takeovers []bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens, takeovers = make([]int64, len(keys)), make([]bool, len(keys))
	fresh := rand.Int64()
	for i, key := range keys {
		tokens[i] = fresh
		if claim, ok := l.lost[key]; ok {
			tokens[i], takeovers[i] = claim.token, true
		}
	}
	return tokens, takeovers
}

// answered forgets what was claimed.
func (l *lostClaims[K]) answered(keys []K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lost) == 0 {
		return
	}
	for _, key := range keys {
		delete(l.lost, key)
	}
}

// unanswered remembers the claims of keys, and forgets those whose lease is over.
func (l *lostClaims[K]) unanswered(keys []K, tokens []int64, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, claim := range l.lost {
		if now.After(claim.until) {
			delete(l.lost, key)
		}
	}
	for i, key := range keys {
		l.lost[key] = lostClaim{tokens[i], now.Add(schema.PrepareLease)}
	}
}
