package bluesky

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"crier/schema"
)

// sortable is the alphabet of a TID: its order is that of the values.
const sortable = "234567abcdefghijklmnopqrstuvwxyz"

// tidLength is 13 characters of 5 bits: a zero bit, 53 of microseconds since 1970, 10
// of a clock's id (atproto.com/specs/tid).
const tidLength = 13

const clockBits = 10

// recordKey returns the key of the record a delivery makes: the same for every try,
// in every process, so that the repository itself holds the record at most once.
func recordKey(d schema.Delivery) (string, error) {
	if d.Since.IsZero() || d.Key == "" {
		return "", errors.New("the delivery has no key, or no time of its first claim")
	}
	return tidOf(d.Since, d.Key), nil
}

// tidOf returns a TID that starts with the millisecond of a time. The microseconds and
// the clock's id come from the key, a million values: two posts of one account that
// were claimed in the same instant still differ.
func tidOf(since time.Time, key string) string {
	sum := sha256.Sum256([]byte(key))
	micros := uint64(since.UnixMilli())*1000 + binary.BigEndian.Uint64(sum[:8])%1000
	clock := binary.BigEndian.Uint64(sum[8:16]) % (1 << clockBits)
	return encodeTID(micros<<clockBits | clock)
}

// timeOf returns the time of a TID; ok is false for what is none.
func timeOf(tid string) (at time.Time, ok bool) {
	if len(tid) != tidLength {
		return time.Time{}, false
	}
	var value uint64
	for i := range len(tid) {
		digit := strings.IndexByte(sortable, tid[i])
		if digit < 0 {
			return time.Time{}, false
		}
		value = value<<5 | uint64(digit)
	}
	return time.UnixMicro(int64(value >> clockBits)).UTC(), true
}

func encodeTID(value uint64) string {
	var tid [tidLength]byte
	for i := tidLength - 1; i >= 0; i-- {
		tid[i] = sortable[value&31]
		value >>= 5
	}
	return string(tid[:])
}
