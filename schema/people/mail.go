package people

import (
	"fmt"
	"slices"
	"time"

	"crier/schema"
)

// MailKind is what a mail is for. Its number is stored: it never changes.
type MailKind int16

// The kinds of mail.
const (
	MailInvitation     MailKind = iota + 1 // asks somebody to become a member
	MailReset                              // lets a user choose another password
	MailAddress                            // proves an address of e-mail
	MailAddressChanged                     // tells the address before
	MailPostsFailed
	MailReconnect  // accounts have to be connected again
	MailSuspension // keys are suspended
	MailNotice     // the operator's, as of a deprecation, to the owners of keys
)

// mailTraits are what differs between kinds.
type mailTraits struct {
	name string
	life time.Duration // how long it is tried to send it, and what it links to works
	// A member's choice: who may choose it, and who gets it unless they choose otherwise. Anyone: nobody chooses.
	min, usual Role
	refusable  bool // it has a link by which whoever gets it gets no more of it
	awaited    bool // somebody waits for it, or has to know at once: it goes before the others
}

const mailDay = 24 * time.Hour

var mailKinds = [...]mailTraits{
	MailInvitation:     {name: "invitations", life: mailDay, refusable: true, awaited: true},
	MailReset:          {name: "reset", life: ResetLife, awaited: true},
	MailAddress:        {name: "address", life: AddressLife, awaited: true},
	MailAddressChanged: {name: "address_changed", life: 7 * mailDay, awaited: true},
	MailPostsFailed:    {name: "posts_failed", life: mailDay, min: Viewer, usual: Editor, refusable: true},
	MailReconnect:      {name: "accounts_to_reconnect", life: mailDay, min: Viewer, usual: Admin, refusable: true},
	MailSuspension:     {name: "keys_suspended", life: mailDay, min: Admin, usual: Admin, refusable: true},
	MailNotice:         {name: "notices", life: 7 * mailDay, refusable: true},
}

// MailKinds returns all kinds.
func MailKinds() []MailKind {
	all := make([]MailKind, 0, len(mailKinds)-1)
	for k := MailInvitation; int(k) < len(mailKinds); k++ {
		all = append(all, k)
	}
	return all
}

// NewestMail is the last kind that this version knows.
const NewestMail = MailKind(len(mailKinds) - 1)

// AwaitedMails returns the kinds that go before the others.
func AwaitedMails() []MailKind {
	return slices.DeleteFunc(MailKinds(), func(k MailKind) bool { return !mailKinds[k].awaited })
}

func (k MailKind) isKnown() bool { return k >= MailInvitation && int(k) < len(mailKinds) }

// String returns the kind's name in metrics and links.
func (k MailKind) String() string {
	if !k.isKnown() {
		return fmt.Sprintf("mail(%d)", int16(k))
	}
	return mailKinds[k].name
}

// ParseMailKind reads the name of a kind; zero where it is none.
func ParseMailKind(name string) MailKind {
	for _, k := range MailKinds() {
		if k.String() == name {
			return k
		}
	}
	return 0
}

// Life is how long it is tried to send a mail. It is dropped then: what it says is old.
func (k MailKind) Life() time.Duration { return mailKinds[k].life }

// Refusable reports whether whoever gets such mail can say by a link of it that they want no more.
func (k MailKind) Refusable() bool { return mailKinds[k].refusable }

// Room is how many mails may wait when one of the kind is added: others leave some to those that are awaited.
func (k MailKind) Room() int {
	if mailKinds[k].awaited {
		return MaxMails
	}
	return MaxMails - awaitedRoom
}

// Min is the role of members who may have such mail, Usual that of those who get it unless they choose
// otherwise. Anyone: it does not go to members by their role.
func (k MailKind) Min() Role { return mailKinds[k].min }

// Usual is described at Least.
func (k MailKind) Usual() Role { return mailKinds[k].usual }

// How long links of mail work.
const (
	ResetLife   = time.Hour
	AddressLife = 24 * time.Hour
)

// Mail is bounded.
const (
	MailInterval = time.Hour // between two of a kind about one thing to one address
	// MailGathering is how long the first of what a mail lists waits for others.
	MailGathering = time.Minute
	// MaxMails is how many mails wait in the installation at most; what comes then is not sent.
	MaxMails = 20_000
	// awaitedRoom is how many of these are of kinds that go before the others.
	awaitedRoom = 2_000
	// MaxUnknown is how many mails within MailInterval go to an address that has not asked for any: invitations
	// and proofs.
	MaxUnknown = 5
	// MaxInvited is how many invitations of a workspace are sent within MailInterval.
	MaxInvited = 50
	// MaxListed is how many posts, accounts or keys a mail lists; it says how many more there are.
	MaxListed = 10
	// MaxCounted is up to how many it counts them.
	MaxCounted = 1000
)

// Requests for a link by mail are counted in windows, whether there is such a user or not.
const (
	ResetWindow     = time.Hour
	ResetsByAddress = 20 // from a network
	ResetsByEmail   = 5
)

// Mail is one that is to be sent. What it says is read right before.
type Mail struct {
	ID        schema.MailID
	Kind      MailKind
	About     [16]byte // by kind: a workspace, a user or a notice
	Recipient string   // address of e-mail
	Since     time.Time
	Version   int // rises with each fact: what came while it was sent is for the next one
	Attempts  int // this one included
	ExpiresAt time.Time
}

// Letter is what a mail says, and to whom. Its tokens are made for it, and stored by their hashes alone.
type Letter struct {
	Kind      MailKind
	Recipient string
	Name      string // of who gets it; empty: not known
	Workspace string // name; empty: it is of none
	By        string // name of who invites; empty: nobody
	Role      Role   // that an invitation gives
	Token     string // of the link by which it is answered; empty: there is none
	Refusing  string // token of the link by which no more comes; empty: there is none
	About     schema.WorkspaceID
	Posts     []FailedPost
	Accounts  []EndedAccount
	Keys      []SuspendedKey
	More      int // beyond those that are listed
	Subject   string
	Text      string // of a notice
}

// FailedPost is a post that failed, or a platform of it.
type FailedPost struct {
	ID       schema.PostID
	Platform schema.Platform
	Account  string
	At       time.Time
	Error    string
}

// EndedAccount is an account that has to be connected again.
type EndedAccount struct {
	ID       schema.AccountID
	Platform schema.Platform
	Name     string
}

// SuspendedKey is a key that is suspended.
type SuspendedKey struct {
	Name   string
	Prefix string
	Until  time.Time
}

// MailChoice is whether a member gets mail of a kind.
type MailChoice struct {
	Kind   MailKind
	Wanted bool
}

// Notice is what the operator tells the owners of keys.
type Notice struct {
	ID      schema.NoticeID
	Subject string
	Text    string
}

// WaitingMail is what waits of a kind of mail.
type WaitingMail struct {
	Mails int
	Since time.Time // of the one that has waited longest; what has happened since starts it anew
}

// Delivered is what the sending of a mail came to.
type Delivered struct {
	Mail   Mail
	Ending MailEnding
	Wait   time.Duration // until the next try, where it was MailRetried
}

// MailEnding is what the sending of a mail came to.
type MailEnding int

// The endings. MailIdle is that there was nothing to say any more.
const (
	MailSent MailEnding = iota
	MailRetried
	MailRefused // for good, by the server that was to take it
	MailIdle
)

var mailEndings = [...]string{MailSent: "sent", MailRetried: "retried", MailRefused: "refused", MailIdle: "idle"}

// String returns the ending's name in metrics.
func (e MailEnding) String() string { return mailEndings[e] }

// MailEndings returns all endings.
func MailEndings() []MailEnding { return []MailEnding{MailSent, MailRetried, MailRefused, MailIdle} }
