-- +goose Up

set local lock_timeout = '200ms';

-- Moments that this database went back to: a backup that was restored, or a recovery. While one is
-- not at its end, every post that was open then is held: those whose ids are not above last_id,
-- except those in restore_releases. Rows stay, since keys that were there wait until they are confirmed.
create table if not exists restores (
    restored_to  timestamptz primary key,
    marked_at    timestamptz not null default now(),
    last_id      uuid not null,  -- no post, comment or key of before has a higher one
    ended_at     timestamptz,    -- nothing is held any more
    events_until timestamptz,    -- the newest event that ClickHouse had, where one is after restored_to
    looking_until timestamptz    -- the lease of who looks at the platforms
);
create unique index if not exists restores_held on restores ((ended_at is null)) where ended_at is null;

-- Posts that go on, of those that the restore holds; gone once it has ended.
create table if not exists restore_releases (post_id uuid primary key);

-- What is known of posts since then: from events in ClickHouse, and from looks at the platforms.
create table if not exists restore_findings (
    post_id   uuid not null,
    n         smallint not null, -- the target; -1: the post
    kind      smallint not null, -- schema.FindingKind
    at        timestamptz not null,
    native_id text not null default '',
    url       text not null default '',
    primary key (post_id, n, kind)
);

-- How the look at each account's posts came out.
create table if not exists restore_looks (
    account_id uuid primary key,
    tried_at   timestamptz,
    looked_upto timestamptz,            -- posts that are due by then were looked for; null: none
    error      text not null default '',
    disconnected_at timestamptz         -- as an event in ClickHouse says
);

alter table api_keys add column if not exists confirmed_at timestamptz;
