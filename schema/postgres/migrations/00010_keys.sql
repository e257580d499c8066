-- +goose Up

-- What is shown of a key in place of it, and when it was used last, to the minute.
alter table api_keys
    add column prefix text not null default '',
    add column last_used_at timestamptz,
    add column suspended_until timestamptz; -- it went on in spite of 429
create index api_keys_workspace on api_keys (workspace_id, id);

-- Of those who registered by themselves: where changes of the API are announced to.
alter table workspaces add column email text;

-- What all gateways count together within a window of time: requests of a key, those it
-- sent in spite of 429, registrations from an address. What a crash of PostgreSQL loses of
-- it is over within the window, so it needs no log.
create unlogged table request_windows (
    subject  text primary key,
    began_at timestamptz not null,
    used     int not null
) with (fillfactor = 50);
