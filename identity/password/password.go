package password

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"crier/schema"
)

// Bounds of a password, in characters. No kind of character is asked for: length is what counts
// (NIST SP 800-63B, 3.1.1.2).
const (
	Min = 12
	Max = 256
)

// parameters of argon2id, as OWASP's Password Storage Cheat Sheet gives them.
type parameters struct {
	memory  uint32 // KiB
	passes  uint32
	threads uint8
}

var current = parameters{memory: 19 << 10, passes: 2, threads: 1}

const (
	saltLength = 16
	hashLength = 32
	// slots is how many passwords are hashed at a time: each takes 19 MiB.
	slots = 2
	// patience is how long a request waits for its turn.
	patience = 3 * time.Second
)

// Hasher hashes passwords, some at a time; the others wait.
type Hasher struct {
	random  io.Reader
	turns   chan struct{}
	unknown string // what is checked where there is no password: it takes as long
}

// New returns a Hasher.
func New(random io.Reader) (*Hasher, error) {
	h := &Hasher{random: random, turns: make(chan struct{}, slots)}
	var nobodys [hashLength]byte
	if _, err := io.ReadFull(random, nobodys[:]); err != nil {
		return nil, fmt.Errorf("reading randomness: %w", err)
	}
	h.unknown = encode(current, nobodys[:saltLength], nobodys[:])
	return h, nil
}

// Check says what is wrong with a new password; empty where nothing is.
func Check(password string) string {
	switch n := utf8.RuneCountInString(password); {
	case n < Min:
		return fmt.Sprintf("must have at least %d characters, not %d; any will do, such as a few words", Min, n)
	case n > Max:
		return fmt.Sprintf("must have at most %d characters, not %d", Max, n)
	default:
		return ""
	}
}

// Hash returns what is stored of a password, in PHC's form. The error is Unavailable where too many
// others wait.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLength)
	if _, err := io.ReadFull(h.random, salt); err != nil {
		return "", fmt.Errorf("reading randomness: %w", err)
	}
	hash, err := h.derive(ctx, password, salt, current)
	if err != nil {
		return "", err
	}
	return encode(current, salt, hash), nil
}

// Matches reports whether a password is the one that was stored; where none is, it takes as long to
// say no. The error is Unavailable where too many others wait.
func (h *Hasher) Matches(ctx context.Context, password, stored string) (bool, error) {
	isKnown := stored != ""
	if !isKnown {
		stored = h.unknown
	}
	p, salt, want, err := decode(stored)
	if err != nil {
		return false, err
	}
	got, err := h.derive(ctx, password, salt, p)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1 && isKnown, nil
}

// derive waits for its turn and hashes. A password means the same however its keyboard composes
// letters.
func (h *Hasher) derive(ctx context.Context, password string, salt []byte, p parameters) ([]byte, error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case h.turns <- struct{}{}:
	case <-wait.Done():
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, &schema.Error{Kind: schema.Unavailable, RetryAfter: patience, Message: "too many passwords are being checked at the moment; the same request may be sent again"}
	}
	defer func() { <-h.turns }()
	return argon2.IDKey([]byte(norm.NFKC.String(password)), salt, p.passes, p.memory, p.threads, hashLength), nil
}

// encode writes PHC's form: github.com/P-H-C/phc-string-format.
func encode(p parameters, salt, hash []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.passes, p.threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(hash))
}

var errStored = errors.New("this is no password as it is stored")

func decode(stored string) (p parameters, salt, hash []byte, err error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return p, nil, nil, errStored
	}
	var version int
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &p.memory, &p.passes, &p.threads); err != nil || version != argon2.Version {
		return p, nil, nil, errStored
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return p, nil, nil, errStored
	}
	if hash, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(hash) != hashLength {
		return p, nil, nil, errStored
	}
	return p, salt, hash, nil
}
