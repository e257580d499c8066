-- +goose Up

-- All that authenticates, claims or connects an account waits behind this: it is tried again
-- where somebody is at it.
set local lock_timeout = '200ms';

-- Since when a workspace is being deleted: nothing of it goes out, and nobody gets in.
alter table workspaces add column deleting_at timestamptz;

-- Deletions of workspaces and of accounts, and how far they are. Of one that is done only its
-- figures are left.
create table deletions (
    id            uuid primary key,
    request       uuid not null,     -- what asked for it, maybe for others too: their state is asked for by this
    status        smallint not null, -- schema.DeletionStatus
    of_workspace  boolean not null,  -- all of it; else an account
    token_hash    bytea,             -- SHA-256 of what confirms it; null: it needs no confirmation any more

    -- What is deleted, and what it is known by where its id does not stand.
    workspaces    uuid[] not null,   -- with the sandbox twin
    accounts      uuid[] not null default '{}',
    webhooks      uuid[] not null default '{}',
    lineages      uuid[] not null default '{}', -- of its keys
    keys          uuid[] not null default '{}',
    profiles      bytea[] not null default '{}', -- as receipts name them
    unshared      bytea[] not null default '{}', -- of them those that nobody else has connected

    -- A deletion is done once a pass over everything, begun late enough, has found nothing.
    step          smallint not null default 0,
    pass_began_at timestamptz,
    pass_rows     bigint not null default 0,
    worked_at     timestamptz not null default now(),

    posts         bigint not null default 0, -- there were when it was asked for
    posts_removed bigint not null default 0,
    rows_removed  bigint not null default 0,
    asked_at      timestamptz not null,
    confirmed_at  timestamptz,
    stopped_at    timestamptz, -- nothing of it goes out from then on
    ended_at      timestamptz
);
create index deletions_request on deletions (request);
create index deletions_worked on deletions (worked_at) where status in (2, 3); -- stopping, removing
create index deletions_asked on deletions (asked_at);

-- Who has consented to an account, where the platform calls for persons: SHA-256 of the platform
-- and the person's id there.
alter table accounts add column person bytea;
