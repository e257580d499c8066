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
