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
