-- +goose Up

-- Media that crier keeps; the content is in the blob store, under the id.
create table media (
    id           uuid primary key,
    workspace_id uuid not null,
    state        smallint not null,      -- schema.UploadState
    secret       text not null,          -- the part of its urls that nobody can guess
    facts        json not null,          -- schema.MediaFacts; {} while it is awaited
    alt_text     text not null,
    file_name    text not null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,   -- from then on it goes unless a post uses it
    deleted_at   timestamptz             -- first the row is marked, then the blob goes, then the row
);
create index media_workspace on media (workspace_id, id desc);
create index media_expiry on media (expires_at) where state < 2;
create index media_deleted on media (deleted_at) where state = 2;

-- Which posts use which media; nothing that is used expires.
create table media_uses (
    media_id uuid not null,
    post_id  uuid not null,
    primary key (media_id, post_id)
);
create index media_uses_post on media_uses (post_id);
