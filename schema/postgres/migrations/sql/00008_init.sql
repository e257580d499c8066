-- +goose Up

-- What each plan allows; the operator may change it. Null and 0 mean no limit.
create table plans (
    name                text primary key,
    requests_per_minute int not null,
    posts_per_month     int,
    accounts            int
);
insert into plans (name, requests_per_minute, posts_per_month, accounts) values
    ('operator', 0, null, null),
    ('free', 30, 4, 2),
    ('personal', 120, null, 10),
    ('team', 120, null, 25),
    ('agency', 120, null, 100);

-- A tenant. A sandbox workspace is the twin of a live one.
create table workspaces (
    id         uuid primary key,
    name       text not null,
    plan       text not null references plans (name),
    live_id    uuid references workspaces (id), -- set on a sandbox twin
    created_at timestamptz not null default now()
);
create unique index workspaces_name on workspaces (name, (live_id is null));
create unique index workspaces_twin on workspaces (live_id) where live_id is not null;

create table api_keys (
    id           uuid primary key,
    lineage      uuid not null, -- the first key of a chain of rotations
    workspace_id uuid not null references workspaces (id),
    name         text not null,
    hash         bytea not null unique, -- SHA-256 of the key
    permission   smallint not null,
    created_at   timestamptz not null default now(),
    expires_at   timestamptz,
    revoked_at   timestamptz
);

create table accounts (
    id              uuid primary key,
    workspace_id    uuid not null references workspaces (id),
    brand_id        uuid,
    platform        smallint not null,
    native_id       text not null,
    name            text not null,
    server          text not null default '',
    sealed          bytea not null, -- credentials; associated data: workspace, account, platform
    settings        json not null default '{}',
    needs_reconnect boolean not null default false,
    created_at      timestamptz not null default now()
);
create unique index accounts_native on accounts (workspace_id, platform, native_id, server);

-- The answer of a request, by which a repetition is answered for a day.
create table idempotency (
    lineage     uuid not null,
    key         text not null,
    fingerprint bytea not null,
    response    bytea not null,
    created_at  timestamptz not null default now(),
    primary key (lineage, key)
);
create index idempotency_age on idempotency using brin (created_at);

create table posts (
    id            uuid primary key,
    workspace_id  uuid not null,
    brand_id      uuid,
    version       int not null default 1,
    status        smallint not null,
    scheduled_for timestamptz,
    retried_for   timestamptz, -- when a retry was due: from then on the base of lateness
    timezone      text not null,
    from_api      boolean not null,
    platforms     int not null,  -- bit 1 << platform of each target
    content       json not null, -- schema.Content
    left_n        smallint not null, -- targets that are not terminal
    posted_n      smallint not null default 0,
    failed_n      smallint not null default 0,
    created_at    timestamptz not null,
    updated_at    timestamptz not null
) with (fillfactor = 80);
create index posts_schedule on posts (workspace_id, scheduled_for desc, id desc);

-- No index on what changes: claims and finishes stay HOT.
create table targets (
    post_id     uuid not null,
    n           smallint not null,
    version     int not null, -- of the post
    account_id  uuid not null,
    platform    smallint not null,
    content     text not null default '',
    state       smallint not null default 0,
    step        smallint not null,
    entry       smallint not null default 0, -- the entry that is next
    claim       int not null default 0,      -- number of the last claim
    node        uuid,                        -- who made it
    lease_until timestamptz,
    since       timestamptz, -- first claim of a visible call of this entry
    next_at     timestamptz, -- not before
    attempts    smallint not null default 0,
    looked      smallint not null default 0,
    progress    json,
    receipts    json not null default '[]',
    error       json,
    posted_at   timestamptz,
    primary key (post_id, n)
) with (fillfactor = 50);

-- First comments, written once their target is terminal.
create table comments (
    id           uuid primary key,
    post_id      uuid not null,
    n            smallint not null,
    position     smallint not null,
    workspace_id uuid not null,
    account_id   uuid not null,
    entry        smallint not null,
    text         text not null,
    state        smallint not null default 0,
    step         smallint not null default 1,
    claim        int not null default 0,
    node         uuid,
    lease_until  timestamptz,
    since        timestamptz,
    next_at      timestamptz,
    attempts     smallint not null default 0,
    looked       smallint not null default 0,
    native_id    text not null default '',
    url          text not null default '',
    error        json,
    posted_at    timestamptz
) with (fillfactor = 70);
create unique index comments_place on comments (post_id, n, position);

-- When something must next be looked at: see schema.Job. The id is that of the post,
-- comment or delivery it is for.
create table jobs (
    id      uuid primary key,
    kind    smallint not null,
    shard   smallint not null,
    due_at  timestamptz not null,
    version int not null default 0,
    payload json not null
) with (fillfactor = 70);
create index jobs_due on jobs (shard, due_at);

-- Jobs more than a day ahead, by day and without an index: a random insert into a
-- large index costs ten times one into a small one. A job whose version is not its
-- post's any more is left behind here and dropped when its day is promoted.
create table jobs_far (
    id      uuid not null,
    kind    smallint not null,
    shard   smallint not null,
    due_at  timestamptz not null,
    version int not null,
    payload json not null
) partition by range (due_at);

-- The events of one commit, until nobody is owed them.
create table outbox (
    id      uuid primary key,
    owed    smallint not null,
    sent_at timestamptz not null,
    payload bytea not null -- JSON of schema.EventBatch
) with (fillfactor = 70);

create table webhooks (
    id                   uuid primary key,
    workspace_id         uuid not null,
    url                  text not null,
    events               text[] not null,
    secret               bytea not null, -- sealed
    active               boolean not null default true,
    created_at           timestamptz not null,
    last_delivered_at    timestamptz,
    consecutive_failures int not null default 0,
    disabled_at          timestamptz,
    disabled_reason      text not null default ''
);
create index webhooks_workspace on webhooks (workspace_id, id);

create table deliveries (
    id            uuid primary key,
    webhook_id    uuid not null,
    workspace_id  uuid not null,
    event_id      uuid not null,
    event         text not null,
    body          bytea not null,
    state         smallint not null default 0,
    claim         int not null default 0,
    node          uuid,
    lease_until   timestamptz,
    next_at       timestamptz,
    attempts      smallint not null default 0,
    response_code smallint,
    response_ms   int,
    error         text not null default '',
    delivered_at  timestamptz
) with (fillfactor = 70);
create index deliveries_webhook on deliveries (webhook_id, id desc);

-- What is used of a limit in a period: of an account's day (daily caps, in targets), of
-- a workspace's month (plans, in entries; kept only where the plan has a limit). The
-- check refuses the transaction that would go over; it holds after a limit was lowered
-- too, since only what reserves writes "most".
create table counters (
    subject uuid not null, -- an account, or a workspace
    period  date not null, -- UTC: the day, or the first of the month
    used    int not null,
    most    int not null,  -- the limit by which was reserved last
    primary key (subject, period),
    constraint counters_full check (used <= most)
) with (fillfactor = 50);

-- The UTC day of whose cap the target holds a unit; null: it holds none.
alter table targets add column charged_on date;

-- What was published although it was published already: nobody loses sight of it.
create table duplicates (
    workspace_id uuid not null,
    account_id   uuid not null,
    post_id      uuid not null,
    n            smallint not null,
    entry        smallint not null,
    comment_id   uuid, -- of a first comment; null: of the entry
    native_id    text not null,
    url          text not null,
    found_at     timestamptz not null default now()
);
create unique index duplicates_place on duplicates (post_id, n, entry, comment_id, native_id) nulls not distinct;

-- What is held: by a pause the work of a workspace, an account or a platform; for review
-- a post.
create table holds (
    subject    uuid,     -- of the workspace, the account or the post
    platform   smallint,
    kind       smallint not null, -- schema.HoldKind
    reason     text not null,
    created_at timestamptz not null default now(),
    check ((subject is null) <> (platform is null))
);
create unique index holds_subject on holds (subject);
create unique index holds_platform on holds (platform) where platform is not null;

-- Jobs that are past the time of their post or comment and wait: for a retry, a limit, a
-- pause. A job that fires for the first time is none of them, so that firing costs no
-- more.
alter table jobs
    add column fires smallint not null default 0,
    add column overdue_since timestamptz,
    add column held boolean not null default false;
create index jobs_overdue on jobs (overdue_since) where overdue_since is not null;

-- What accounts are grouped by: a client of an agency, a product.
create table brands (
    id           uuid primary key,
    workspace_id uuid not null references workspaces (id),
    name         text not null,
    created_at   timestamptz not null,
    updated_at   timestamptz not null
);
create unique index brands_name on brands (workspace_id, lower(name));

-- revision counts the credentials an account has had: what belongs to older ones is told
-- by it. A disconnected account keeps its row, so that posts still name it and it can
-- come back under its id; its credentials are gone.
--
-- renew_*: how the renewal of its credentials stands; see schema.Renewal.
alter table accounts
    add column revision        int not null default 1,
    add column disconnected_at timestamptz,
    add column expires_at      timestamptz, -- of the access token; null: not known, or never
    add column renewable       boolean not null default false, -- without its owner
    add column checked_at      timestamptz, -- when its platform last took the credentials
    add column warned_of       timestamptz, -- the expiry that was told of
    add column renew_at        timestamptz, -- not before; null: nothing is to be done
    add column renew_asked_at  timestamptz, -- since when the platform refuses the access token
    add column renew_step      smallint not null default 0,
    add column renew_claim     int not null default 0,
    add column renew_lease     timestamptz,
    add column renew_node      uuid,
    add column renew_attempts  smallint not null default 0;
create index accounts_brand on accounts (brand_id) where brand_id is not null;

-- The last position that was given to a batch of events. Whoever gives one holds this row
-- until it commits, so that positions become visible in their order.
create table event_positions (
    id   boolean primary key default true check (id), -- there is one row
    last bigint not null
);
insert into event_positions (last) values (0);

-- Where a batch stands in the order of GET /events; null until the sink takes it up.
alter table outbox add column position bigint;
create index outbox_position on outbox (position) where position is not null;

-- The secret before the last rotation, sealed, and until when it signs too.
alter table webhooks add column previous_secret bytea, add column previous_until timestamptz;

alter table deliveries
    add column redelivers uuid, -- the delivery that this one repeats
    add column response text not null default ''; -- how the receiver answered the last try that failed, cut off
create index deliveries_event on deliveries (event_id);

-- The caller's own id of a post, for finding it by that.
alter table posts add column external_id text generated always as (content ->> 'externalId') stored;
create index posts_external on posts (workspace_id, external_id) where external_id is not null;

-- Weekly slots in a timezone, of a brand or of the whole workspace.
create table queues (
    id           uuid primary key,
    workspace_id uuid not null references workspaces (id),
    brand_id     uuid, -- null: of the workspace
    name         text not null,
    timezone     text not null,
    slots        json not null, -- of schema.WeekSlot
    is_default   boolean not null,
    created_at   timestamptz not null,
    updated_at   timestamptz not null
);
create index queues_workspace on queues (workspace_id, id);
create unique index queues_default on queues (workspace_id, brand_id) nulls not distinct where is_default;

-- Which post has which slot. A slot is taken right before its post is made, so a row
-- whose post is not there after a while is free again.
create table queue_slots (
    queue_id uuid not null,
    slot_at  timestamptz not null,
    post_id  uuid not null,
    taken_at timestamptz not null default now(),
    primary key (queue_id, slot_at)
);
create unique index queue_slots_post on queue_slots (post_id);

-- What happened to a post besides plain success, for its timeline: success stands in the
-- receipts. Bounded per post and by age; rows are only added and deleted.
create table attempts (
    post_id  uuid not null,
    at       timestamptz not null,
    kind     smallint not null,
    n        smallint not null,              -- the target; -1: the whole post
    comment  smallint not null default -1,   -- position of the first comment; -1: an entry
    entry    smallint not null default 0,
    attempts smallint not null default 0,    -- failed calls so far
    code     text not null default '',
    message  text not null default '',
    next_at  timestamptz
);
create index attempts_post on attempts (post_id, at);
create index attempts_age on attempts using brin (at);

-- Media that crier keeps; the content is in the blob store, under the id.
create table media (
    id           uuid primary key,
    workspace_id uuid not null,
    state        smallint not null,      -- schema.UploadState
    secret       text not null,          -- the part of its urls that nobody can guess
    facts        json not null,          -- schema.MediaFacts; {} while it is awaited
    alt_text     text not null,
    file_name    text not null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,   -- from then on it goes unless a post uses it
    deleted_at   timestamptz             -- first the row is marked, then the blob goes, then the row
);
create index media_workspace on media (workspace_id, id desc);
create index media_expiry on media (expires_at) where state < 2;
create index media_deleted on media (deleted_at) where state = 2;

-- Which posts use which media; nothing that is used expires.
create table media_uses (
    media_id uuid not null,
    post_id  uuid not null,
    primary key (media_id, post_id)
);
create index media_uses_post on media_uses (post_id);
