-- +goose Up

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
