package schema

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// An API key is crier_live_ or crier_test_, 30 random digits of base62 and 6 more with
// the CRC32 of everything before them, so that scanners can find a leaked one and a
// typo is refused without a query. Only its hash is stored.
const (
	livePrefix     = "crier_live_"
	testPrefix     = "crier_test_"
	keyRandom      = 30 // digits: 178 bits
	keyChecksum    = 6  // digits: 62^6 is over 2^32
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyShown       = 2             // digits that are shown of a key
	unbiasedDigits = 256 / 62 * 62 // a random byte from here on would favour the first digits
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

// CheckAPIKey tells whether a text has the form of a key and its checksum is right. It
// says nothing about whether the key exists.
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

// HashAPIKey returns what is stored of a key. It has 178 random bits, so a plain hash
// is as good as a slow one. Keys are looked up by their hash: no secret is compared.
func HashAPIKey(key string) [32]byte { return sha256.Sum256([]byte(key)) }

// APIKeyPrefix returns what is shown of a key in place of it: its kind and its first
// digits, by which its owner tells it from others.
func APIKeyPrefix(key string) string { return key[:min(len(key), len(livePrefix)+keyShown)] + "…" }

func apiKeyChecksum(text string) (digits [keyChecksum]byte) {
	sum := crc32.ChecksumIEEE([]byte(text))
	for i := keyChecksum - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return digits
}
