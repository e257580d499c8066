-- +goose Up

-- Whoever connects an account waits behind this: it is tried again where somebody is at it.
set local lock_timeout = '200ms';

-- How far persons have come who connect accounts on their platform's page. Rows live for
-- minutes.
create table consents (
    token_hash   bytea primary key, -- SHA-256 of the token of the stage
    workspace_id uuid not null references workspaces (id),
    platform     smallint not null,
    server       text not null,
    brand_id     uuid,
    account_id   uuid, -- to be connected again
    redirect     text not null,
    stage        smallint not null,
    sealed       bytea not null,
    expires_at   timestamptz not null
);
create index consents_expires on consents (expires_at);
create index consents_open on consents (workspace_id, account_id, expires_at);
create trigger consents_sealed before insert or update of sealed on consents
    for each row execute function refuse_dropped_key('sealed');

-- Apps that crier is registered as with single servers.
create table server_apps (
    name          text primary key, -- platform and server
    callback      text not null,    -- that people are sent back to
    sealed        bytea not null,   -- id and secret
    registered_at timestamptz not null
);
create trigger server_apps_sealed before insert or update of sealed on server_apps
    for each row execute function refuse_dropped_key('sealed');

-- Where persons of a workspace may be sent after they have connected an account.
alter table workspaces add column connect_redirects text[] not null default '{}';

-- Names an account in the address at which its owner connects it again; made when it is first
-- asked for.
alter table accounts add column reconnect uuid;
