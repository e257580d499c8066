package schema

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ID is a UUIDv7 that names one thing of kind K. In text it is a TypeID: the
// kind's prefix, an underscore and 26 digits of Crockford's base32
// (github.com/jetify-com/typeid), so that ids sort by time and explain themselves.
type ID[K Kind] [16]byte

// Kind is what an ID names; it gives the prefix.
type Kind interface{ Prefix() string }

type (
	workspaceKind struct{}
	brandKind     struct{}
	keyKind       struct{}
	accountKind   struct{}
	postKind      struct{}
	commentKind   struct{}
	webhookKind   struct{}
	deliveryKind  struct{}
	eventKind     struct{}
	batchKind     struct{}
	jobKind       struct{}
	mediaKind     struct{}
	threadKind    struct{}
	queueKind     struct{}
	deadKind      struct{}
	deletionKind  struct{}
	itemKind      struct{}
	monitorKind   struct{}
	userKind      struct{}
	sessionKind   struct{}
	inviteKind    struct{}
	auditKind     struct{}
	passkeyKind   struct{}
	identityKind  struct{}
	mailKind      struct{}
	noticeKind    struct{}
)

func (workspaceKind) Prefix() string { return "ws" }
func (brandKind) Prefix() string     { return "brand" }
func (keyKind) Prefix() string       { return "key" }
func (accountKind) Prefix() string   { return "acc" }
func (postKind) Prefix() string      { return "post" }
func (commentKind) Prefix() string   { return "comment" }
func (webhookKind) Prefix() string   { return "wh" }
func (deliveryKind) Prefix() string  { return "dlv" }
func (eventKind) Prefix() string     { return "evt" }
func (batchKind) Prefix() string     { return "batch" }
func (jobKind) Prefix() string       { return "job" }
func (mediaKind) Prefix() string     { return "media" }
func (threadKind) Prefix() string    { return "thread" }
func (queueKind) Prefix() string     { return "queue" }
func (deadKind) Prefix() string      { return "dead" }
func (deletionKind) Prefix() string  { return "del" }
func (itemKind) Prefix() string      { return "item" }
func (monitorKind) Prefix() string   { return "mon" }
func (userKind) Prefix() string      { return "user" }
func (sessionKind) Prefix() string   { return "ses" }
func (inviteKind) Prefix() string    { return "inv" }
func (auditKind) Prefix() string     { return "aud" }
func (passkeyKind) Prefix() string   { return "passkey" }
func (identityKind) Prefix() string  { return "identity" }
func (mailKind) Prefix() string      { return "mail" }
func (noticeKind) Prefix() string    { return "note" }

// Ids of crier's things.
type (
	WorkspaceID = ID[workspaceKind]
	BrandID     = ID[brandKind]
	KeyID       = ID[keyKind]
	AccountID   = ID[accountKind]
	PostID      = ID[postKind]
	CommentID   = ID[commentKind]
	WebhookID   = ID[webhookKind]
	DeliveryID  = ID[deliveryKind]
	EventID     = ID[eventKind]
	BatchID     = ID[batchKind]
	JobID       = ID[jobKind]
	MediaID     = ID[mediaKind]
	ThreadID    = ID[threadKind] // the UUID of the thread's post
	QueueID     = ID[queueKind]

	DeadLetterID = ID[deadKind]
	DeletionID   = ID[deletionKind]
	ItemID       = ID[itemKind] // a hash: see ItemIDOf
	MonitorID    = ID[monitorKind]
	UserID       = ID[userKind]
	SessionID    = ID[sessionKind]
	InvitationID = ID[inviteKind]
	AuditID      = ID[auditKind]
	PasskeyID    = ID[passkeyKind]
	IdentityID   = ID[identityKind]
	MailID       = ID[mailKind]
	NoticeID     = ID[noticeKind]
)

// anID is any of the ids above.
type anID interface {
	~[16]byte
	prefix() string
}

func (ID[K]) prefix() string {
	var kind K
	return kind.Prefix()
}

// NewID makes a UUIDv7 (RFC 9562, 5.7) of a time, the database's where it is at hand.
func NewID[I anID](at time.Time) I {
	var id [16]byte
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli())<<16)
	copy(id[:6], ms[:6])
	rand.Read(id[6:]) // never fails: crypto/rand ends the process instead
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}

// FirstID returns the least id of a time: ids made at that millisecond or later are not
// below it.
func FirstID[I anID](at time.Time) I {
	id := [16]byte(NewID[I](at))
	clear(id[6:])
	return id
}

const digits = "0123456789abcdefghjkmnpqrstvwxyz"

var valueOf = func() (values [256]int8) {
	for i := range values {
		values[i] = -1
	}
	for i, d := range digits {
		values[d] = int8(i)
	}
	return values
}()

// IsZero reports whether the id is the zero id, which names nothing.
func (id ID[K]) IsZero() bool { return id == ID[K]{} }

// Compare orders ids as PostgreSQL does, and so by the times at which they were made.
func (id ID[K]) Compare(to ID[K]) int { return bytes.Compare(id[:], to[:]) }

// Bytes returns the UUID.
func (id ID[K]) Bytes() [16]byte { return id }

// Time returns when the id was made, to the millisecond.
func (id ID[K]) Time() time.Time {
	var ms [8]byte
	copy(ms[2:], id[:6])
	return time.UnixMilli(int64(binary.BigEndian.Uint64(ms[:]))).UTC()
}

// String returns the TypeID, such as post_01k9sr3q5wf2g8m7r4t0v1x2y3.
func (id ID[K]) String() string {
	var text [26]byte
	hi, lo := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	for i := 25; i >= 0; i-- {
		text[i] = digits[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return id.prefix() + "_" + string(text[:])
}

// MarshalText makes the id a TypeID in JSON too; the zero id is the empty text.
func (id ID[K]) MarshalText() ([]byte, error) {
	if id.IsZero() {
		return []byte{}, nil
	}
	return []byte(id.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (id *ID[K]) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = ID[K]{}
		return nil
	}
	parsed, err := ParseID[ID[K]](string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// ParseID reads a TypeID.
func ParseID[I anID](text string) (I, error) {
	var id [16]byte
	prefix := I(id).prefix()
	rest, ok := strings.CutPrefix(text, prefix+"_")
	if !ok {
		return id, fmt.Errorf("an id that starts with %s_ is wanted", prefix)
	}
	if len(rest) != 26 || rest[0] > '7' {
		return id, errors.New("an id has 26 digits after its prefix")
	}
	var hi, lo uint64
	for i := range len(rest) {
		value := valueOf[rest[i]]
		if value < 0 {
			return id, fmt.Errorf("%q is no digit of an id", rest[i])
		}
		hi = hi<<5 | lo>>59
		lo = lo<<5 | uint64(value)
	}
	binary.BigEndian.PutUint64(id[:8], hi)
	binary.BigEndian.PutUint64(id[8:], lo)
	return id, nil
}

// ItemIDOf returns the ItemID of what the platform calls by an id in the inbox of an account:
// it follows from the two, and has no time.
func ItemIDOf(account AccountID, nativeID string) ItemID {
	sum := sha256.Sum256(append(account[:len(account):len(account)], nativeID...))
	return ItemID(sum[:16])
}
