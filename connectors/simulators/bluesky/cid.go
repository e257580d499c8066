package bluesky

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
)

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// The codecs of a CID: of records, and of blobs.
const (
	dagCBOR  = 0x71
	rawBytes = 0x55
)

// cidOf makes a CIDv1 of a SHA-256 in base32 (github.com/multiformats/cid).
func cidOf(codec byte, sum [sha256.Size]byte) string {
	const version, sha2 = 1, 0x12
	return "b" + lowerBase32.EncodeToString(append([]byte{version, codec, sha2, sha256.Size}, sum[:]...))
}

// cidOfRecord stands for the CID of a record's CBOR: it is made of its JSON with sorted
// keys, and is as good at telling records apart.
func cidOfRecord(record json.RawMessage) string {
	var decoded any
	if json.Unmarshal(record, &decoded) != nil {
		return ""
	}
	canonical, err := json.Marshal(decoded)
	if err != nil {
		return ""
	}
	return cidOf(dagCBOR, sha256.Sum256(canonical))
}
