package pipeline

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"crier/schema"
)

// keyless tells of accounts whose credentials are sealed with a key that this process lacks:
// of each once a minute. That is crier's fault, and ends neither the account nor its posts.
type keyless struct {
	logger   *slog.Logger
	mu       sync.Mutex
	loggedAt map[schema.AccountID]time.Time
}

const (
	keylessSilence = time.Minute
	// keylessAccounts bounds how many accounts are remembered; beyond it some are told of sooner.
	keylessAccounts = 10_000
)

func newKeyless(logger *slog.Logger) *keyless {
	return &keyless{logger: logger, loggedAt: map[schema.AccountID]time.Time{}}
}

func (k *keyless) tell(ctx context.Context, a schema.Account, err error) {
	if k.due(a.ID, time.Now()) {
		k.logger.ErrorContext(ctx, "the key that sealed an account's credentials is missing from this process's keyset; its posts wait for it until their deadlines", "account", a.ID, "err", err)
	}
}

func (k *keyless) due(account schema.AccountID, at time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if last, ok := k.loggedAt[account]; ok && at.Sub(last) < keylessSilence {
		return false
	}
	if len(k.loggedAt) >= keylessAccounts {
		clear(k.loggedAt)
	}
	k.loggedAt[account] = at
	return true
}

// keylessError is what it comes to where there is no time left to wait for the key. No step but
// a look begins then, which may fail the same way for ever: it costs a try.
func keylessError(step schema.Step) *schema.Error {
	kind := schema.Retryable
	if step == schema.StepFind {
		kind = schema.Internal
	}
	return &schema.Error{Kind: kind, Message: "crier cannot read the credentials at the moment; the log has the reason"}
}
