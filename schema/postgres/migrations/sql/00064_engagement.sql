-- +goose NO TRANSACTION
-- +goose Up

-- A comment without a post is a reply: reply_to is what it answers (schema.ReplyTo). Replies
-- stay where they are when they have ended, and are forgotten there. Claims of first comments
-- wait behind this: it is tried again where somebody is at it.
-- +goose StatementBegin
do $$
begin
    set local lock_timeout = '200ms';
    alter table comments alter column post_id drop not null;
    alter table comments add column if not exists reply_to json;
    alter table comments drop constraint if exists comments_of_something;
    alter table comments add constraint comments_of_something check ((post_id is null) = (reply_to is not null)) not valid;
    alter table comments_history alter column post_id drop not null;
    alter table comments_history add column if not exists reply_to json;
    create or replace view all_comments as
        select id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
            attempts, looked, native_id, url, error, posted_at, token, reply_to from comments
        union all
        select id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
            attempts, looked, native_id, url, error, posted_at, token, reply_to from comments_history;
end
$$;
-- +goose StatementEnd

-- Replies by their account, for its deletion. Nobody waits for this; what is cut off begins
-- anew.
drop index concurrently if exists comments_replies;
create index concurrently comments_replies on comments (account_id, id) where post_id is null;

-- What accounts have received: which comments and mentions there are, what a reply to one
-- needs, and which were read. Their texts and authors are in ClickHouse alone.
create table if not exists inbox (
    id             uuid primary key,  -- schema.ItemIDOf: of the account and the native id
    workspace_id   uuid not null,
    account_id     uuid not null,
    mention        boolean not null,
    native_id      text not null,
    parent_id      text not null,
    post_native_id text not null,
    post_id        uuid,              -- of crier that it is under
    state          text not null,     -- what its connector kept to answer it by
    digest         bytea not null,    -- of the item: another one is another revision
    revision       bigint not null default 1,
    deleted        boolean not null default false,
    read_at        timestamptz,
    written_at     timestamptz not null,
    seen_at        timestamptz not null default now() -- the first time
);
create index if not exists inbox_account on inbox (account_id, mention, written_at desc, id desc);
create index if not exists inbox_unread on inbox (account_id, mention, written_at desc, id desc) where read_at is null and not deleted;
create index if not exists inbox_post on inbox (account_id, post_id, mention, written_at desc, id desc) where post_id is not null;
create index if not exists inbox_age on inbox (seen_at);
