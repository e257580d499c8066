-- +goose Up

-- The caller's own id of a post, for finding it by that.
alter table posts add column external_id text generated always as (content ->> 'externalId') stored;
create index posts_external on posts (workspace_id, external_id) where external_id is not null;

-- Weekly slots in a timezone, of a brand or of the whole workspace.
create table queues (
    id           uuid primary key,
    workspace_id uuid not null references workspaces (id),
    brand_id     uuid, -- null: of the workspace
    name         text not null,
    timezone     text not null,
    slots        json not null, -- of schema.WeekSlot
    is_default   boolean not null,
    created_at   timestamptz not null,
    updated_at   timestamptz not null
);
create index queues_workspace on queues (workspace_id, id);
create unique index queues_default on queues (workspace_id, brand_id) nulls not distinct where is_default;

-- Which post has which slot. A slot is taken right before its post is made, so a row
-- whose post is not there after a while is free again.
create table queue_slots (
    queue_id uuid not null,
    slot_at  timestamptz not null,
    post_id  uuid not null,
    taken_at timestamptz not null default now(),
    primary key (queue_id, slot_at)
);
create unique index queue_slots_post on queue_slots (post_id);
