-- +goose Up

-- How far monitors were searched for on a platform that has no stream, and when each has its
-- next turn. A turn is one page of one keyword.
create table searches (
    monitor_id   uuid primary key references monitors (id) on delete cascade,
    workspace_id uuid not null,
    sandbox      boolean not null,
    due_at       timestamptz not null,
    read_until   timestamptz not null,      -- all keywords were searched for until then
    began_at     timestamptz not null,      -- the round through them: read_until after it
    keyword      integer not null default 0, -- in hand, from 0
    page         integer not null default 0, -- of it, from 0
    place        text not null default '',  -- where the page begins, as the platform says
    problem      text not null default ''   -- why nothing is searched
);
create index searches_due on searches (sandbox, due_at);
create index searches_workspace on searches (workspace_id);
