package password

import (
	"crypto/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"crier/schema"
)

func newHasher(t *testing.T) *Hasher {
	t.Helper()
	h, err := New(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestMatches(t *testing.T) {
	h := newHasher(t)
	stored, err := h.Hash(t.Context(), "caf\u00e9 on the corner")
	if err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("stored = %q, %v", stored, err)
	}
	for name, tt := range map[string]struct {
		password, stored string
		want             bool
	}{
		"the password":                 {"caf\u00e9 on the corner", stored, true},
		"composed by another keyboard": {"cafe\u0301 on the corner", stored, true},
		"another":                      {"coffee on the corner", stored, false},
		"none is stored":               {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := h.Matches(t.Context(), tt.password, tt.stored); got != tt.want || err != nil {
				t.Errorf("Matches = %t, %v; want %t", got, err, tt.want)
			}
		})
	}
	if again, _ := h.Hash(t.Context(), "caf\u00e9 on the corner"); again == stored {
		t.Error("the same password is stored the same way twice")
	}
}

func TestWhatIsNoStoredPasswordIsAnError(t *testing.T) {
	h := newHasher(t)
	for _, stored := range []string{"x", "$argon2i$v=19$m=1,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA", "$argon2id$v=16$m=8,t=1,p=1$AAAA$AAAA"} {
		if ok, err := h.Matches(t.Context(), "x", stored); ok || err == nil {
			t.Errorf("Matches(%q) = %t, %v", stored, ok, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for name, tt := range map[string]struct {
		password string
		refused  bool
	}{
		"too short":               {"hunter2hunt", true},
		"long enough":             {"hunter2hunte", false},
		"characters, not bytes":   {strings.Repeat("é", 11), true},
		"the longest":             {strings.Repeat("é", 256), false},
		"longer than the longest": {strings.Repeat("x", 257), true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Check(tt.password); (got != "") != tt.refused {
				t.Errorf("Check = %q", got)
			}
		})
	}
}

// TestWhoWaitsTooLongIsTurnedAway has all turns taken by others.
func TestWhoWaitsTooLongIsTurnedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher(t)
		for range slots {
			h.turns <- struct{}{}
		}
		began := time.Now()
		_, err := h.Hash(t.Context(), "x")
		if schema.KindOf(err) != schema.Unavailable || time.Since(began) != patience {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}
