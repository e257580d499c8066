-- +goose Up

-- What workspaces listen for: public posts with one of the included keywords and none of the
-- excluded ones.
create table monitors (
    id            uuid primary key,
    workspace_id  uuid not null references workspaces (id),
    sandbox       boolean not null, -- of a sandbox twin: it sees what is generated, alone
    name          text not null,
    include       text[] not null,
    exclude       text[] not null,
    language      text not null,       -- ISO 639-1; empty: any
    platforms     smallint[] not null, -- schema.Platform
    paused        boolean not null,
    created_at    timestamptz not null,
    updated_at    timestamptz not null
);
create index monitors_workspace on monitors (workspace_id, id);

-- Raised by every change of a monitor: whoever has read them all reads them again.
create table monitor_changes (
    sandbox  boolean primary key,
    revision bigint not null
);
insert into monitor_changes (sandbox, revision) values (false, 1), (true, 1);

-- Streams of public posts, how far each was read, and which process reads it.
create table streams (
    name       text primary key,
    host       text not null default '',
    read_until timestamptz,           -- the host's time; null: it was not read
    claim      bigint not null default 0,
    node       uuid,                  -- null: nobody reads it
    held_until timestamptz not null default '-infinity'
);

-- What monitors have found, for as long as it can come again.
create table found_items (
    monitor_id uuid not null,
    item       uuid not null, -- the beginning of the SHA-256 of its address and revision
    forget_at  timestamptz not null,
    primary key (monitor_id, item)
);
create index found_items_forget on found_items (forget_at);
