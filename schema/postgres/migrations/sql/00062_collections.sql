-- +goose Up

-- What is read of connected accounts on their platforms, again and again: one row for each
-- account and what is read of it (schema.Collected). The id is that of its job.
create table collections (
    id           uuid primary key,
    account_id   uuid not null,
    workspace_id uuid not null,
    what         smallint not null,
    due_at       timestamptz,          -- not before; null: nothing is to be read, or the account does not work
    cursor       text not null default '', -- where the last step has ended
    attempts     smallint not null default 0, -- failed steps in a row
    claim        int not null default 0,
    node         uuid,
    lease_until  timestamptz,          -- null: nobody has it claimed
    -- Since when a platform lets an account not be read so, for want of a permission; null: it
    -- does, as far as it is known. Tables that were made without it get it by migration 71.
    refused_at   timestamptz
) with (fillfactor = 70);
create unique index collections_account on collections (account_id, what);
create index collections_due on collections (due_at) where due_at is not null;

-- The next look at the metrics of each published target. The row goes with the last look, or
-- with the post.
create table snapshots (
    post_id   uuid not null,
    n         smallint not null,    -- of the target
    account_id uuid not null,
    native_id text not null,        -- of its first entry
    url       text not null,
    video     boolean not null,     -- among the media of its first entry
    posted_at timestamptz not null,
    slot      smallint not null,    -- which look of schema.SnapshotAge
    due_at    timestamptz not null,
    primary key (post_id, n)
) with (fillfactor = 80);
create index snapshots_account on snapshots (account_id, due_at);
