package schema

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Permission is what a key may do; each includes those before it.
type Permission int16

// The permissions of a key.
const (
	Read Permission = iota + 1
	Write
	Admin
)

func permissionNames() []string { return []string{"read", "write", "admin"} }

// ParsePermission reads the name of a permission.
func ParsePermission(name string) (Permission, error) {
	for i, n := range permissionNames() {
		if n == name {
			return Permission(i + 1), nil
		}
	}
	return 0, fmt.Errorf("%q is no permission", name)
}

func (p Permission) String() string { return permissionNames()[p-1] }

// Names returns the permission and those it includes, the least first.
func (p Permission) Names() []string { return permissionNames()[:p] }

// Key is an authenticated API key, with its workspace's limits. The session of a member is seen as a key
// too, of no id: resources need not know how somebody got in.
type Key struct {
	ID                KeyID // zero: it is a member's session
	Name              string
	Lineage           KeyID // the first key of a chain of rotations; idempotency is scoped to it
	Workspace         WorkspaceID
	Sandbox           bool
	Permission        Permission
	RequestsPerMinute int            // of its workspace's plan; 0: no limit
	PostsPerMonth     int            // of its workspace's plan, in entries; 0: no limit
	SuspendedUntil    time.Time      // zero: it is not
	Unconfirmed       bool           // it is of a backup that was restored, and its operator has not confirmed it since
	User              UserID         // whose session it is; zero: it is an API key
	Device            bool           // a member gave it to a device
	DraftsOnly        bool           // it makes and changes drafts, and nothing that goes out
	Networks          []netip.Prefix // that it may be used from; empty: any
}

// WorksFrom reports whether a key may be used from a network, that of a request's sender.
func (k Key) WorksFrom(sender netip.Prefix) bool {
	return len(k.Networks) == 0 || slices.ContainsFunc(k.Networks, func(n netip.Prefix) bool {
		return sender.IsValid() && n.Bits() <= sender.Bits() && n.Contains(sender.Addr())
	})
}

// MaxNetworks is how many networks a key can be limited to.
const MaxNetworks = 20

// ParseNetwork reads a network that a key may be used from, such as 203.0.113.0/24, or an address alone. Of
// IPv6 a /64 is the smallest: single addresses of it cost one customer nothing, and are not told apart.
func ParseNetwork(text string) (netip.Prefix, error) {
	network, err := netip.ParsePrefix(text)
	if err != nil {
		address, err := netip.ParseAddr(text)
		if err != nil || address.Zone() != "" {
			return netip.Prefix{}, errNetwork
		}
		network = netip.PrefixFrom(address.Unmap(), address.Unmap().BitLen())
	}
	if network.Addr().Is4In6() || network.Addr().Is6() && network.Bits() > ipv6Network {
		return netip.Prefix{}, errNetwork
	}
	return network.Masked(), nil
}

const ipv6Network = 64

var errNetwork = errors.New("must be a network, such as 203.0.113.0/24 or 2001:db8:1:2::/64, of IPv6 a /64 at least")

// KeyRecord is an API key as it is listed and managed. Zero times have not come yet.
type KeyRecord struct {
	ID             KeyID
	Lineage        KeyID
	Workspace      WorkspaceID // of a test key the sandbox twin
	Sandbox        bool
	Name           string
	Prefix         string // how the key begins
	Permission     Permission
	CreatedAt      time.Time
	LastUsedAt     time.Time // to the minute
	ExpiresAt      time.Time // after a rotation, the end of the overlap
	RevokedAt      time.Time
	SuspendedAt    time.Time // while it is suspended
	SuspendedUntil time.Time
	Networks       []netip.Prefix // that it may be used from; empty: any
	MadeBy         UserID         // the member who made or last rotated it, or the one before it; zero: another key, a command or a registration
}

// KeyRotation replaces a key by a successor, of which ID, Prefix and CreatedAt are given, and MadeBy where a
// member rotates it. The key keeps working for the overlap.
type KeyRotation struct {
	Key       KeyID
	Successor KeyRecord
	Hash      [32]byte // of the successor
	Overlap   time.Duration
}

// Works reports whether the key is neither revoked nor expired.
func (k KeyRecord) Works(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || k.ExpiresAt.After(now))
}

// An API key is crier_live_ or crier_test_, 30 random digits of base62 and 6 more with
// the CRC32 of everything before them, so that scanners can find a leaked one and a
// typo is refused without a query. Only its hash is stored.
const (
	livePrefix      = "crier_live_"
	testPrefix      = "crier_test_"
	keyRandom       = 30 // digits: 178 bits
	keyChecksum     = 6  // digits: 62^6 is over 2^32
	base62          = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyPrefixDigits = 2             // digits that are shown of a key
	unbiasedDigits  = 256 / 62 * 62 // random bytes from here on would favour the first digits
)

var errAPIKey = errors.New("this is no API key")

// NewAPIKey makes a key: of a sandbox (a test key), or a live one.
func NewAPIKey(random io.Reader, sandbox bool) (string, error) {
	var key strings.Builder
	key.WriteString(livePrefix)
	if sandbox {
		key.Reset()
		key.WriteString(testPrefix)
	}
	for digit := make([]byte, 1); key.Len() < len(livePrefix)+keyRandom; {
		if _, err := io.ReadFull(random, digit); err != nil {
			return "", fmt.Errorf("reading randomness: %w", err)
		}
		if digit[0] < unbiasedDigits {
			key.WriteByte(base62[digit[0]%62])
		}
	}
	sum := apiKeyChecksum(key.String())
	return key.String() + string(sum[:]), nil
}

// CheckAPIKey checks a key's form and checksum, not whether the key exists.
func CheckAPIKey(text string) error {
	if len(text) != len(livePrefix)+keyRandom+keyChecksum {
		return errAPIKey
	}
	if !strings.HasPrefix(text, livePrefix) && !strings.HasPrefix(text, testPrefix) {
		return errAPIKey
	}
	body := len(text) - keyChecksum
	if sum := apiKeyChecksum(text[:body]); text[body:] != string(sum[:]) {
		return errAPIKey
	}
	return nil
}

// IsTestAPIKey reports whether a text is a key that sees a sandbox only, by its form.
func IsTestAPIKey(text string) bool {
	return CheckAPIKey(text) == nil && strings.HasPrefix(text, testPrefix)
}

// HashAPIKey returns what is stored of a key. It has 178 random bits, so a plain hash
// is as good as a slow one. Keys are looked up by their hash: no secret is compared.
func HashAPIKey(key string) [32]byte { return sha256.Sum256([]byte(key)) }

// APIKeyPrefix returns what is shown of a key in place of it: its kind and its first
// digits, by which its owner tells it from others.
func APIKeyPrefix(key string) string {
	return key[:min(len(key), len(livePrefix)+keyPrefixDigits)] + "…"
}

func apiKeyChecksum(text string) (digits [keyChecksum]byte) {
	sum := crc32.ChecksumIEEE([]byte(text))
	for i := keyChecksum - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return digits
}

// A key that goes on after 429 is suspended for a quarter of an hour: once more than 20
// times its requests per minute were refused within ten minutes.
const (
	PatienceWindow = 10 * time.Minute
	SuspensionTime = 15 * time.Minute
	patience       = 20
)

// Patience is how many requests of a key may be refused within PatienceWindow before it
// is suspended.
func (k Key) Patience() int { return patience * k.RequestsPerMinute }

// RequestLease is how many requests one gateway may let through of a key's window of a
// minute, which all gateways share.
type RequestLease struct {
	Window time.Time // its beginning
	N      int       // requests; 0: the window is full
	Used   int       // of the window, by all gateways, these included
}
