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

// NewID makes a UUIDv7 (RFC 9562, 5.7) of the given time.
func NewID[K Kind](at time.Time) ID[K] {
	var id ID[K]
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
func FirstID[K Kind](at time.Time) ID[K] {
	id := NewID[K](at)
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
	var kind K
	var text [26]byte
	hi, lo := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	for i := 25; i >= 0; i-- {
		text[i] = digits[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return kind.Prefix() + "_" + string(text[:])
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
	parsed, err := ParseID[K](string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// ParseID reads a TypeID of kind K.
func ParseID[K Kind](text string) (ID[K], error) {
	var kind K
	rest, ok := strings.CutPrefix(text, kind.Prefix()+"_")
	if !ok {
		return ID[K]{}, fmt.Errorf("an id that starts with %s_ is wanted", kind.Prefix())
	}
	if len(rest) != 26 || rest[0] > '7' {
		return ID[K]{}, errors.New("an id has 26 digits after its prefix")
	}
	var hi, lo uint64
	for i := range len(rest) {
		value := valueOf[rest[i]]
		if value < 0 {
			return ID[K]{}, fmt.Errorf("%q is no digit of an id", rest[i])
		}
		hi = hi<<5 | lo>>59
		lo = lo<<5 | uint64(value)
	}
	var id ID[K]
	binary.BigEndian.PutUint64(id[:8], hi)
	binary.BigEndian.PutUint64(id[8:], lo)
	return id, nil
}

// NewPostID makes a PostID of a time, the database's where it is at hand.
func NewPostID(at time.Time) PostID { return NewID[postKind](at) }

// FirstPostID returns the least PostID of a time.
func FirstPostID(at time.Time) PostID { return FirstID[postKind](at) }

// NewWorkspaceID makes a WorkspaceID of a time, the database's where it is at hand.
func NewWorkspaceID(at time.Time) WorkspaceID { return NewID[workspaceKind](at) }

// NewKeyID makes a KeyID of a time, the database's where it is at hand.
func NewKeyID(at time.Time) KeyID { return NewID[keyKind](at) }

// NewAccountID makes a AccountID of a time, the database's where it is at hand.
func NewAccountID(at time.Time) AccountID { return NewID[accountKind](at) }

// NewBrandID makes a BrandID of a time, the database's where it is at hand.
func NewBrandID(at time.Time) BrandID { return NewID[brandKind](at) }

// NewCommentID makes a CommentID of a time, the database's where it is at hand.
func NewCommentID(at time.Time) CommentID { return NewID[commentKind](at) }

// NewWebhookID makes a WebhookID of a time, the database's where it is at hand.
func NewWebhookID(at time.Time) WebhookID { return NewID[webhookKind](at) }

// NewDeliveryID makes a DeliveryID of a time, the database's where it is at hand.
func NewDeliveryID(at time.Time) DeliveryID { return NewID[deliveryKind](at) }

// FirstDeliveryID returns the least DeliveryID of a time.
func FirstDeliveryID(at time.Time) DeliveryID { return FirstID[deliveryKind](at) }

// NewEventID makes a EventID of a time, the database's where it is at hand.
func NewEventID(at time.Time) EventID { return NewID[eventKind](at) }

// NewBatchID makes a BatchID of a time, the database's where it is at hand.
func NewBatchID(at time.Time) BatchID { return NewID[batchKind](at) }

// FirstBatchID is FirstID of batches.
func FirstBatchID(at time.Time) BatchID { return FirstID[batchKind](at) }

// NewMediaID makes a MediaID of a time, the database's where it is at hand.
func NewMediaID(at time.Time) MediaID { return NewID[mediaKind](at) }

// ParseWorkspaceID reads a WorkspaceID that the payment provider was given.
func ParseWorkspaceID(text string) (WorkspaceID, error) { return ParseID[workspaceKind](text) }

// ParsePostID reads a PostID that a client sent.
func ParsePostID(text string) (PostID, error) { return ParseID[postKind](text) }

// ParseAccountID reads a AccountID that a client sent.
func ParseAccountID(text string) (AccountID, error) { return ParseID[accountKind](text) }

// ParseBrandID reads a BrandID that a client sent.
func ParseBrandID(text string) (BrandID, error) { return ParseID[brandKind](text) }

// ParseKeyID reads a KeyID that a client sent.
func ParseKeyID(text string) (KeyID, error) { return ParseID[keyKind](text) }

// ParseWebhookID reads a WebhookID that a client sent.
func ParseWebhookID(text string) (WebhookID, error) { return ParseID[webhookKind](text) }

// NewQueueID makes a QueueID of a time, the database's where it is at hand.
func NewQueueID(at time.Time) QueueID { return NewID[queueKind](at) }

// ParseQueueID reads a QueueID that a client sent.
func ParseQueueID(text string) (QueueID, error) { return ParseID[queueKind](text) }

// ParseThreadID reads a ThreadID that a client sent.
func ParseThreadID(text string) (ThreadID, error) { return ParseID[threadKind](text) }

// ParseDeliveryID reads a DeliveryID that a client sent.
func ParseDeliveryID(text string) (DeliveryID, error) { return ParseID[deliveryKind](text) }

// ParseEventID reads an EventID that a client sent.
func ParseEventID(text string) (EventID, error) { return ParseID[eventKind](text) }

// NewDeadLetterID makes a DeadLetterID of a time, the database's where it is at hand.
func NewDeadLetterID(at time.Time) DeadLetterID { return NewID[deadKind](at) }

// ParseDeadLetterID reads a DeadLetterID that an operator typed.
func ParseDeadLetterID(text string) (DeadLetterID, error) { return ParseID[deadKind](text) }

// ParseMediaID reads a MediaID that a client sent.
func ParseMediaID(text string) (MediaID, error) { return ParseID[mediaKind](text) }

// NewDeletionID makes a DeletionID of a time, the database's where it is at hand.
func NewDeletionID(at time.Time) DeletionID { return NewID[deletionKind](at) }

// ParseDeletionID reads a DeletionID that somebody asks by.
func ParseDeletionID(text string) (DeletionID, error) { return ParseID[deletionKind](text) }

// ItemIDOf returns the ItemID of what the platform calls by an id in the inbox of an account:
// it follows from the two, and has no time.
func ItemIDOf(account AccountID, nativeID string) ItemID {
	sum := sha256.Sum256(append(account[:len(account):len(account)], nativeID...))
	return ItemID(sum[:16])
}

// ParseItemID reads an ItemID that a client sent.
func ParseItemID(text string) (ItemID, error) { return ParseID[itemKind](text) }

// ParseCommentID reads a CommentID that a client sent.
func ParseCommentID(text string) (CommentID, error) { return ParseID[commentKind](text) }

// NewMonitorID makes a MonitorID of a time, the database's where it is at hand.
func NewMonitorID(at time.Time) MonitorID { return NewID[monitorKind](at) }

// ParseMonitorID reads a MonitorID that somebody asks by.
func ParseMonitorID(text string) (MonitorID, error) { return ParseID[monitorKind](text) }

// NewUserID makes a UserID of a time, the database's where it is at hand.
func NewUserID(at time.Time) UserID { return NewID[userKind](at) }

// ParseUserID reads a UserID that a client sent.
func ParseUserID(text string) (UserID, error) { return ParseID[userKind](text) }

// NewSessionID makes a SessionID of a time, the database's where it is at hand.
func NewSessionID(at time.Time) SessionID { return NewID[sessionKind](at) }

// ParseSessionID reads a SessionID that a client sent.
func ParseSessionID(text string) (SessionID, error) { return ParseID[sessionKind](text) }

// NewInvitationID makes an InvitationID of a time, the database's where it is at hand.
func NewInvitationID(at time.Time) InvitationID { return NewID[inviteKind](at) }

// ParseInvitationID reads an InvitationID that a client sent.
func ParseInvitationID(text string) (InvitationID, error) { return ParseID[inviteKind](text) }

// NewAuditID makes an AuditID of a time, the database's where it is at hand.
func NewAuditID(at time.Time) AuditID { return NewID[auditKind](at) }

// ParseAuditID reads an AuditID that a client sent.
func ParseAuditID(text string) (AuditID, error) { return ParseID[auditKind](text) }

// NewPasskeyID makes a PasskeyID of a time, the database's where it is at hand.
func NewPasskeyID(at time.Time) PasskeyID { return NewID[passkeyKind](at) }

// ParsePasskeyID reads a PasskeyID that a client sent.
func ParsePasskeyID(text string) (PasskeyID, error) { return ParseID[passkeyKind](text) }

// NewIdentityID makes an IdentityID of a time, the database's where it is at hand.
func NewIdentityID(at time.Time) IdentityID { return NewID[identityKind](at) }

// ParseIdentityID reads an IdentityID that a client sent.
func ParseIdentityID(text string) (IdentityID, error) { return ParseID[identityKind](text) }

// NewMailID makes a MailID of a time, the database's where it is at hand.
func NewMailID(at time.Time) MailID { return NewID[mailKind](at) }
