package simulation

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"crier/schema"
)

// End is what became of an account: until it is taken back, its platform answers every
// call that acts for the account accordingly.
type End string

// The ends of accounts. A platform has some of them.
const (
	Alive           End = ""
	Suspended       End = "suspended"
	Deactivated     End = "deactivated"
	Deleted         End = "deleted"
	PasswordChanged End = "password-changed"
	Revoked         End = "revoked"
	ScopeWithdrawn  End = "scope-withdrawn"
	Kicked          End = "kicked"       // the bot, from its chat
	NotMember       End = "not-a-member" // the bot was never, or left
	ChatDeleted     End = "chat-deleted"
	BoardDeleted    End = "board-deleted"
)

// ends are those of a world's accounts, by id.
type ends struct {
	mu sync.RWMutex
	of map[string]End
}

func (e *ends) clear() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.of = nil
}

// End ends an account, or takes its end back. The account is called as its posts are.
func (w *World) End(account string, end End) error {
	if !w.hasEnd(end) && end != Alive {
		return fmt.Errorf("%q is no end of an account on %s", end, w.platform)
	}
	w.ends.mu.Lock()
	defer w.ends.mu.Unlock()
	if w.ends.of == nil {
		w.ends.of = map[string]End{}
	}
	w.ends.of[account] = end
	return nil
}

// EndOf returns what became of an account that is called by any of these names.
func (w *World) EndOf(names ...string) End {
	w.ends.mu.RLock()
	defer w.ends.mu.RUnlock()
	for _, name := range names {
		if end := w.ends.of[name]; end != Alive {
			return end
		}
	}
	return Alive
}

// endMarker, an end and a bracket in the text of a post have the platform answer its
// publishing calls as if the account had ended. The account itself goes on.
const endMarker = "[crier:account-"

// markedEnd returns the end that a text asks for, of those the platform has.
func (w *World) markedEnd(text string) End {
	_, rest, found := strings.Cut(text, endMarker)
	if !found {
		return Alive
	}
	name, _, _ := strings.Cut(rest, "]")
	if end := End(name); w.hasEnd(end) {
		return end
	}
	return Alive
}

func (w *World) hasEnd(end End) bool {
	_, has := w.hasEnds[end]
	return has
}

// Ending is how a platform words the ends of its accounts.
type Ending struct {
	// Ends are those that it has. One that is not there it does not have, or answers as another: a password
	// that was changed ends the tokens of a mastodon account, and the app passwords of a bluesky account
	// live on.
	Ends map[End]EndAnswer
	// Refuse answers a publishing call of an account that has ended.
	Refuse func(rw http.ResponseWriter, end End)
}

// EndAnswer is how a platform refuses a post of an account that has ended, in part, and what that is to be
// taken for. End is NotEnded where only a check finds out: it is EndRevoked or EndScope then, which mean
// the same to users.
type EndAnswer struct {
	Says string
	End  schema.End
}
