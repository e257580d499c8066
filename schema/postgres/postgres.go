package postgres

import (
	"context"
	"io"
	"time"

	"crier/schema"
	"crier/schema/postgres/accounts"
	"crier/schema/postgres/admission"
	"crier/schema/postgres/billing"
	"crier/schema/postgres/collection"
	"crier/schema/postgres/engagement"
	"crier/schema/postgres/feeds"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/keys"
	"crier/schema/postgres/mail"
	"crier/schema/postgres/maintenance"
	"crier/schema/postgres/media"
	"crier/schema/postgres/migrations"
	"crier/schema/postgres/operation"
	"crier/schema/postgres/people"
	"crier/schema/postgres/posts"
	"crier/schema/postgres/queues"
	"crier/schema/postgres/webhooks"
)

// Config is what a Store needs.
type Config = db.Config

// Creators is how many connections only creations use.
const Creators = db.Committers

// Migrate brings the tables to this version of crier, forward only.
func Migrate(ctx context.Context, url string) error { return migrations.Up(ctx, url) }

// CheckMigrated returns an error that says what to run if the tables are of an older or a
// newer version of crier.
func CheckMigrated(ctx context.Context, url string) error { return migrations.Check(ctx, url) }

// The stores of the resources, under the names that Gateway embeds them by.
type (
	postStore      = posts.Store
	queueStore     = queues.Store
	accountStore   = accounts.Store
	mediaStore     = media.Store
	webhookStore   = webhooks.Store
	keyStore       = keys.Store
	billingStore   = billing.Store
	admissionStore = admission.Store
	inboxStore     = engagement.Store
	chores         = maintenance.Store
	feedStore      = feeds.Store
	peopleStore    = people.Store
)

// Gateway is the store of the REST API: those of all resources, and that of admission.
type Gateway struct {
	*postStore
	*queueStore
	*accountStore
	*mediaStore
	*webhookStore
	*keyStore
	*billingStore
	*admissionStore
	*inboxStore
	*feedStore
	*peopleStore
}

// NewGateway starts the committers of creations and of key uses; they end with the store.
func NewGateway(s *Store, sealer tables.Sealer, constraints func(schema.Platform) schema.Constraints) *Gateway {
	d := s.ForRequests()
	return &Gateway{
		posts.New(d, constraints), &queues.Store{DB: d}, accounts.New(d), &media.Store{DB: d},
		webhooks.New(d, sealer), &keys.Store{DB: d}, &billing.Store{DB: d}, admission.New(d), engagement.New(d),
		feeds.New(d), &people.Store{DB: d},
	}
}

// NewMedia returns the store of uploads, for their cleanup.
func NewMedia(s *Store) *media.Store { return &media.Store{DB: s.DB} }

// NewMail returns the store of what is sent by mail, of its tokens' randomness.
func NewMail(s *Store, random io.Reader) *mail.Store { return mail.New(s.DB, random) }

// Collection is the store of the collect stage.
type Collection struct {
	*Store
	collections
}

type collections = *collection.Store

// NewCollection returns the store of the collect stage. now is the store's clock, except in tests.
func NewCollection(s *Store, now func() time.Time) *Collection {
	return &Collection{s, collection.New(s.DB, now)}
}

// Now is the clock by which something is due.
func (c *Collection) Now() time.Time { return c.collections.Now() }

// People is the store of users and their sessions.
type People = people.Store

// NewPeople returns the store of people, for the operator's commands.
func NewPeople(s *Store) *People { return &people.Store{DB: s.ForRequests()} }

// NewAdmin returns the store of the operator's commands.
func NewAdmin(s *Store) *operation.Admin { return operation.New(s.ForRequests()) }
