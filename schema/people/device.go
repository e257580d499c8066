package people

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"crier/schema"
)

// A device without a browser asks for an API key, and somebody who is signed in elsewhere decides
// (RFC 8628).
const (
	DeviceLife       = 10 * time.Minute
	DeviceInterval   = 5 * time.Second // between two questions; as much is added for each that came too early
	DevicesByAddress = 20              // that ask from a network within DeviceLife
	DeviceLooks      = 30              // at codes by a user within DeviceLife: of 25 billion, nobody finds another's
	MaxDevices       = 10_000          // that wait for somebody, in the installation
)

// DeviceStanding is where a device's request stands. The number of the first three is stored: it never
// changes.
type DeviceStanding int16

// The standings. Those after DeviceDenied are told to a device, and not stored.
const (
	DeviceWaiting DeviceStanding = iota + 1
	DeviceApproved
	DeviceDenied
	DeviceTooEarly // it asked before the interval was over
	DeviceExpired
	DeviceUnknown // or it has its key already
)

// NewDevice is the request of a device.
type NewDevice struct {
	Device     [32]byte // hash of what it asks again by
	User       [32]byte // hash of what a person types
	Name       string   // as it calls itself
	Address    string   // the network it asks from
	Permission schema.Permission
}

// DeviceRequest is what a person sees who decides.
type DeviceRequest struct {
	Name       string
	Address    string
	Permission schema.Permission
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// DeviceDecision is a member's.
type DeviceDecision struct {
	Code      [32]byte // hash of what the member typed
	User      schema.UserID
	Workspace schema.WorkspaceID // whose key the device gets: a live one or a sandbox
	Approved  bool
}

// Letters of codes that people type: no vowels, so that they spell no words, and none that look alike in
// any case (RFC 8628, 6.1).
const (
	codeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	codeLength  = 8
	codeHalf    = codeLength / 2
	// unbiasedLetters: random bytes from here on would favour the first letters.
	unbiasedLetters = 256 / len(codeLetters) * len(codeLetters)
)

// NewUserCode makes a code that a person types, such as WDJB-MJHT.
func NewUserCode(random io.Reader) (string, error) {
	var code strings.Builder
	for b := make([]byte, 1); code.Len() < codeLength; {
		if _, err := io.ReadFull(random, b); err != nil {
			return "", fmt.Errorf("reading randomness: %w", err)
		}
		if int(b[0]) < unbiasedLetters {
			code.WriteByte(codeLetters[int(b[0])%len(codeLetters)])
		}
	}
	return code.String()[:codeHalf] + "-" + code.String()[codeHalf:], nil
}

// HashUserCode returns what is stored of a code, by which it is looked for, however it is typed; ok is false
// for what cannot be one.
func HashUserCode(typed string) (hash [32]byte, ok bool) {
	var code strings.Builder
	for _, letter := range strings.ToUpper(typed) {
		switch {
		case letter == '-' || letter == ' ':
		case !strings.ContainsRune(codeLetters, letter) || code.Len() == codeLength:
			return hash, false
		default:
			code.WriteRune(letter)
		}
	}
	return sha256.Sum256([]byte("crier device " + code.String())), code.Len() == codeLength
}
