package schema

import (
	"errors"
	"time"
)

// MaxFaults is how often handling the same thing may fail by a fault of crier's own within
// FaultMemory: then it is a dead letter, which nothing brings back but a replay.
const MaxFaults = 5

// FaultMemory is for how long a fault counts.
const FaultMemory = time.Hour

// FaultWait returns how long what failed by a fault is left alone, by how often it did.
func FaultWait(faults int) time.Duration { return time.Duration(faults) * SettleTime }

// The stages that name themselves by no topic of their own.
const (
	StageExpand    = "expand"    // events into deliveries
	StageAnalytics = "analytics" // events into ClickHouse
)

// Stages returns all stages that may give up on something.
func Stages() []string {
	return []string{TopicDelay, TopicPublish, TopicComment, TopicNotify, TopicRefresh, StageExpand, StageAnalytics}
}

// Subject names what a message is about, within its stage.
type Subject struct {
	ID [16]byte // of the job or the batch of events that brings the message; zero: nobody knows
	N  int16    // of the target; 0 elsewhere
}

// OpenClaim is what giving a claim back needs.
type OpenClaim struct {
	Claim  int32 // its number; 0: nothing is claimed
	Called bool  // a visible call may have been made under it
}

// Fault is that a stage failed on something by a fault of crier's own.
type Fault struct {
	Stage   string
	Subject Subject
	Claim   OpenClaim
	Message LogMessage
	Reason  string
	Tries   int
	Final   bool // trying again is of no use
}

// LogMessage is a message as it stood in the log.
type LogMessage struct {
	Topic     string
	Partition int
	Key       []byte
	Value     []byte
}

// DeadLetter is what a stage has given up on.
type DeadLetter struct {
	ID      DeadLetterID
	Stage   string
	Subject Subject
	// Unreadable tells of a message that came from nothing in PostgreSQL that is known: a
	// replay writes it to the log again.
	Unreadable bool
	Message    LogMessage
	Reason     string
	Tries      int
	FailedAt   time.Time // last
}

// About returns the id of the subject as the API and the log name it; empty where nobody
// knows it.
func (l DeadLetter) About() string {
	id := l.Subject.ID
	switch {
	case l.Unreadable:
		return ""
	case l.Stage == TopicPublish:
		return PostID(id).String()
	case l.Stage == TopicComment:
		return CommentID(id).String()
	case l.Stage == TopicNotify:
		return DeliveryID(id).String()
	case l.Stage == TopicRefresh:
		return AccountID(id).String()
	case l.Stage == TopicDelay:
		return JobID(id).String()
	default:
		return BatchID(id).String()
	}
}

// DeadMissed is why something that crier failed on ended once its deadline was over.
func DeadMissed(at time.Time) *TargetError {
	return &TargetError{Code: codeMissedDeadline, Message: "crier failed on this post by a fault of its own until it was too late; retry it if it still should go out", At: at}
}

// DeadUnknown is why something ended of which crier failed to find out whether it was
// published.
func DeadUnknown(at time.Time) *TargetError {
	return &TargetError{Code: CodeOutcomeUnknown, Message: "crier failed to find out whether this was published; a retry looks first where the platform can be asked", At: at}
}

var errNoIDs = errors.New("the message lacks an id")

// Check returns an error where the message cannot be one of this version of crier.
func (m PublishMessage) Check() error { return present(m.Post, m.Account) }

// Check returns an error where the message cannot be one of this version of crier.
func (m CommentMessage) Check() error { return present(m.Comment, m.Account) }

// Check returns an error where the message cannot be one of this version of crier.
func (m NotifyMessage) Check() error { return present(m.Delivery, m.Webhook) }

// Check returns an error where the message cannot be one of this version of crier.
func (m RefreshMessage) Check() error { return present(m.Account, m.Workspace) }

// Check returns an error where the job cannot be one of this version of crier.
func (j Job) Check() error {
	if j.Kind < JobPost || j.Kind > JobRefresh {
		return errors.New("the job is of an unknown kind")
	}
	return present(j.ID)
}

// Check returns an error where the payload cannot be one of this version of crier.
func (j PostJob) Check() error { return present(j.Post) }

// Check returns an error where the batch cannot be one of this version of crier.
func (b EventBatch) Check() error {
	if err := present(b.ID); err != nil {
		return err
	}
	for _, e := range b.Events {
		if err := present(e.ID, e.Workspace); err != nil {
			return err
		}
	}
	return nil
}

func present(ids ...interface{ IsZero() bool }) error {
	for _, id := range ids {
		if id.IsZero() {
			return errNoIDs
		}
	}
	return nil
}

// Subject is the target.
func (m PublishMessage) Subject() Subject { return Subject{m.Post, m.N} }

// Subject is the comment.
func (m CommentMessage) Subject() Subject { return Subject{ID: m.Comment} }

// Subject is the delivery.
func (m NotifyMessage) Subject() Subject { return Subject{ID: m.Delivery} }

// Subject is the account.
func (m RefreshMessage) Subject() Subject { return Subject{ID: m.Account} }

// Held returns what giving the claim back needs, and why it cannot be worked on, if so.
func (d Delivery) Held() (OpenClaim, error) {
	return OpenClaim{d.Claim, d.Unreadable == nil}, d.Unreadable
}

// Held returns what giving the claim back needs, and why it cannot be worked on, if so.
func (d NotifyDelivery) Held() (OpenClaim, error) {
	return OpenClaim{Claim: d.Claim}, d.Unreadable
}

// Held returns what giving the claim back needs.
func (v Renewal) Held() (OpenClaim, error) { return OpenClaim{Claim: v.Claim}, nil }
