package schema

import (
	"bytes"
	"cmp"
	"errors"
	"time"
)

// The topics of the log. Keys are the 16 bytes of an id, so that one account's, or
// one webhook's, messages stay in one partition.
//
//	topic    payload         key      produced by                    consumed by
//	delay    Job             shard    whoever commits a job due soon delay
//	publish  PublishMessage  account  gateway (due now), delay       publish
//	comment  CommentMessage  account  delay                          comment
//	refresh  RefreshMessage  account  delay                          refresh
//	notify   NotifyMessage   webhook  expand, gateway (again), delay notify
//	collect  CollectMessage  account  delay                          collect
//	events   EventBatch      batch    whoever commits events, delay  expand, analytics
//
// Batches that are written together go to the partition of the first of them.
const (
	TopicDelay   = "delay"
	TopicPublish = "publish"
	TopicComment = "comment"
	TopicRefresh = "refresh"
	TopicNotify  = "notify"
	TopicCollect = "collect"
	TopicEvents  = "events"
)

// Topic is how a topic is made. Everything in a topic can be made again from
// PostgreSQL, so retention is by size alone and small.
type Topic struct {
	Name           string
	Partitions     int
	RetentionBytes int64 // per partition
}

// Topics returns every topic of crier, as the embedded log has them.
func Topics() []Topic {
	const mib = 1 << 20
	return []Topic{
		{TopicDelay, 4, 8 * mib},
		{TopicPublish, 8, 4 * mib},
		{TopicComment, 4, 2 * mib},
		{TopicRefresh, 2, 1 * mib},
		{TopicNotify, 4, 4 * mib},
		{TopicCollect, 2, 1 * mib},
		{TopicEvents, 4, 8 * mib},
	}
}

// KafkaPartitions is how many partitions each topic of a new installation has on Apache
// Kafka: as many processes can divide the work of a topic. The embedded log, which keeps
// all it has in memory, and is one process's as a rule, has fewer.
const KafkaPartitions = 32

// TopicsOf returns every topic of crier as a new installation has them, each with so many
// partitions; 0: as many as Topics says. On the embedded log a topic keeps as much as
// it does with those, whatever the number.
func TopicsOf(partitions int, embedded bool) []Topic {
	topics := Topics()
	if partitions == 0 {
		return topics
	}
	const minimum = 1 << 20 // of a segment
	for i, t := range topics {
		if embedded {
			topics[i].RetentionBytes = max(t.RetentionBytes*int64(t.Partitions)/int64(partitions), minimum)
		}
		topics[i].Partitions = partitions
	}
	return topics
}

// Shards is how many shards jobs are divided into, for good. Partition p of topic
// delay owns the shards congruent to p modulo its partitions.
const Shards = 256

// ShardOf returns the shard of what hangs on a post or a webhook.
func ShardOf(id [16]byte) int16 { return int16(id[15]) }

// JobKind is what a job does when it fires. Its number is stored: it never changes.
type JobKind int16

// The kinds of jobs.
const (
	JobPost    JobKind = iota + 1 // publish a post's targets: one job, until the post is terminal
	JobComment                    // post one first comment
	JobNotify                     // deliver one event to one webhook
	JobRefresh                    // look after the credentials of one account
	JobCollect                    // read something of one account
)

// Job is when something must next be looked at. It lives until its effect commits:
// firing it moves DueAt on by VisibilityTimeout, only the effect deletes it.
type Job struct {
	ID      JobID     `json:"id"` // the id of the post, comment, delivery, account or collection it is for
	Kind    JobKind   `json:"kind"`
	Shard   int16     `json:"shard"`
	DueAt   time.Time `json:"dueAt"`
	Version int32     `json:"version,omitempty"` // of the post; 0 for other kinds
	Payload []byte    `json:"payload"`           // JSON of PostJob, CommentMessage, NotifyMessage, RefreshMessage or CollectMessage
}

// JobPlace is where a job stands in the order of its shard: by its time, then its id.
type JobPlace struct {
	Shard int16
	DueAt time.Time
	ID    JobID
}

// Place is where the job stands.
func (j Job) Place() JobPlace { return JobPlace{j.Shard, j.DueAt, j.ID} }

// Compare orders places of any shards by time, then id.
func (p JobPlace) Compare(to JobPlace) int {
	return cmp.Or(p.DueAt.Compare(to.DueAt), bytes.Compare(p.ID[:], to.ID[:]))
}

// FiredJob is a job whose message is in the log. Until its effect commits, or puts it off,
// it stays due when firing it has made it due.
type FiredJob struct {
	ID    JobID
	DueAt time.Time
}

// PostJob is the payload of a post's job: enough to fan out to its targets.
type PostJob struct {
	Post      PostID      `json:"post"`
	Version   int32       `json:"version"`
	Workspace WorkspaceID `json:"workspace"`
	Accounts  []AccountID `json:"accounts"`            // by the target's position
	Platforms []Platform  `json:"platforms,omitempty"` // of the accounts
	Due       int64       `json:"due,omitempty"`       // when the post is due, in Unix µs; 0 in old jobs
	Trace     string      `json:"trace,omitempty"`     // W3C traceparent of the request that made it, if that was traced
}

// PublishMessage asks to take one target one step on.
type PublishMessage struct {
	Post      PostID      `json:"post"`
	N         int16       `json:"n"`
	Version   int32       `json:"version"`
	Workspace WorkspaceID `json:"workspace"`
	Account   AccountID   `json:"account"`
	Platform  Platform    `json:"platform,omitempty"` // 0 in messages of old jobs
	Due       int64       `json:"due,omitempty"`      // when the post is due, in Unix µs; 0 in messages of old jobs
	Trace     string      `json:"-"`                  // travels beside the message, as a header
}

// CommentMessage asks to post one first comment.
type CommentMessage struct {
	Comment   CommentID   `json:"comment"`
	Workspace WorkspaceID `json:"workspace"`
	Account   AccountID   `json:"account"`
	Platform  Platform    `json:"platform,omitempty"` // 0 in messages of old jobs
}

// RefreshMessage asks to take the renewal of an account's credentials one step on.
type RefreshMessage struct {
	Workspace WorkspaceID `json:"workspace"`
	Account   AccountID   `json:"account"`
}

// NotifyMessage asks for one delivery to one webhook.
type NotifyMessage struct {
	Delivery  DeliveryID  `json:"delivery"`
	Workspace WorkspaceID `json:"workspace"`
	Webhook   WebhookID   `json:"webhook"`
	Trace     string      `json:"trace,omitempty"` // of the event
}

// Messages returns what the job asks of the publish stage: nothing for an account that was
// deleted, whose id is zero.
func (j PostJob) Messages() []PublishMessage {
	messages := make([]PublishMessage, 0, len(j.Accounts))
	for n, account := range j.Accounts {
		if account.IsZero() {
			continue
		}
		m := PublishMessage{Post: j.Post, N: int16(n), Version: j.Version, Workspace: j.Workspace, Account: account, Due: j.Due, Trace: j.Trace}
		if n < len(j.Platforms) {
			m.Platform = j.Platforms[n]
		}
		messages = append(messages, m)
	}
	return messages
}

// Subject names what a message is about, within its stage.
type Subject struct {
	ID [16]byte // of the job or the batch of events that brings the message; zero: nobody knows
	N  int16    // of the target; 0 elsewhere
}

// Subject is the target.
func (m PublishMessage) Subject() Subject { return Subject{m.Post, m.N} }

// Subject is the comment.
func (m CommentMessage) Subject() Subject { return Subject{ID: m.Comment} }

// Subject is the delivery.
func (m NotifyMessage) Subject() Subject { return Subject{ID: m.Delivery} }

// Subject is the account.
func (m RefreshMessage) Subject() Subject { return Subject{ID: m.Account} }

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
	if j.Kind < JobPost || j.Kind > JobCollect {
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
		if err := present(e.ID); err != nil {
			return err
		}
		if e.Workspace.IsZero() && e.Type != FactPlatformCalls {
			return errNoIDs
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

// Announcement is what a commit asks of the log. Losing it loses nothing: jobs and
// the outbox stand behind every message, and fire again by themselves.
type Announcement struct {
	Jobs    []Job // due within AnnounceWindow
	Publish []PublishMessage
	Notify  []NotifyMessage
	Events  []EncodedEvents
}

// EncodedEvents is an EventBatch in JSON, as the outbox holds it and topic events carries
// it: it is encoded once.
type EncodedEvents struct {
	ID      BatchID
	Payload []byte
}

// AnnounceWindow is how far ahead of its time a job is announced to topic delay by
// whoever commits it. Delay reads PostgreSQL half as far ahead, so that a job which
// was not announced is not yet read past.
const AnnounceWindow = 2 * time.Minute

// IsZero reports whether there is nothing to say.
func (a Announcement) IsZero() bool {
	return len(a.Jobs)+len(a.Publish)+len(a.Notify)+len(a.Events) == 0
}
