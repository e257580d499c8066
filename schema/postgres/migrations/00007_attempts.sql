-- +goose Up

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
