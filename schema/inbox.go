package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"
)

// Received is something that somebody has written to an account, as its platform shows it: its
// revision, and when it was read, are crier's to know.
type Received struct {
	Item  InboxItem
	Post  PostID // of crier that it is under; zero: none
	State string // what an answer to it needs besides: see ReplyTo
}

// Digest tells one content of an item from another.
func (r Received) Digest() []byte {
	hash := sha256.New()
	for _, part := range []string{r.Item.Text, r.Item.URL, r.Item.Author.Handle, r.Item.Author.Name, r.State, strconv.FormatBool(r.Item.Deleted)} {
		hash.Write(binary.AppendUvarint(nil, uint64(len(part))))
		hash.Write([]byte(part))
	}
	return hash.Sum(nil)[:16]
}

// NewsAge is how old something may be when it is first seen for webhooks to be told.
const NewsAge = 24 * time.Hour

// InboxEntry is what is known of an item without its content.
type InboxEntry struct {
	ID        ItemID
	Account   AccountID
	Platform  Platform
	Mention   bool
	NativeID  string
	ParentID  string
	PostID    PostID // zero: not under a post of crier's
	WrittenAt time.Time
	Deleted   bool
	ReadAt    time.Time // zero: nobody has read it
}

// Place is where the entry stands in the order of the inbox.
func (e InboxEntry) Place() InboxPlace { return InboxPlace{e.WrittenAt, e.ID} }

// InboxPlace is a place in the order of the inbox: the newest first.
type InboxPlace struct {
	At time.Time
	ID ItemID
}

// InboxFilter selects what of a workspace's inbox is listed.
type InboxFilter struct {
	Mentions bool
	Account  AccountID // zero: all
	Post     PostID    // zero: all
	Unread   bool
	After    InboxPlace // zero: from the newest
	Limit    int
}

// UnreadCount is how much of an account's inbox nobody has read, up to MaxUnread of each.
type UnreadCount struct {
	Account            AccountID
	Comments, Mentions int
}

// ReplyTo is what a reply answers: an item of the inbox, in the platform's words.
type ReplyTo struct {
	Item     ItemID `json:"item"`
	Kind     string `json:"kind"` // InboxComment or InboxMention
	NativeID string `json:"nativeId"`
	ParentID string `json:"parentId,omitempty"` // what the item itself answers; empty: the post
	Post     string `json:"post,omitempty"`     // the native id of the account's post that it is under
	State    string `json:"state,omitempty"`    // what its connector kept to answer it by
}

// Reply is a reply that a client has asked for, and what became of it.
type Reply struct {
	Comment
	Workspace WorkspaceID
	Account   AccountID
	Platform  Platform
	NextAt    time.Time // not before this time; zero: at once
}

// CreatedAt is when it was asked for, and due.
func (r Reply) CreatedAt() time.Time { return r.ID.Time() }

// ReplyCreation is a request that makes a reply.
type ReplyCreation struct {
	Idempotency *Idempotency // nil: it came without a key
	Workspace   WorkspaceID
	Reply       CommentID
	Item        ItemID
	Text        string
	// Response is the encoded answer, kept for repetitions.
	Response []byte
}

// MaxUnread is how far what nobody has read is counted.
const MaxUnread = 1000

// ItemName is what names an item in ClickHouse.
type ItemName struct {
	Account  AccountID
	NativeID string
}
