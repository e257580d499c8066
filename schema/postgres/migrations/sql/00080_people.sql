-- +goose Up

set local lock_timeout = '200ms';

-- People who can sign in.
create table if not exists users (
    id           uuid primary key,
    email        text not null unique, -- in lower case
    name         text not null,
    password     text,                 -- argon2id in PHC's form; null: they sign in by other means
    is_operator  boolean not null default false, -- of the installation: set by command alone
    confirmed_at timestamptz,          -- since when the address is known to be theirs: a link that was sent to it came back
    created_at   timestamptz not null default now()
);

-- What they may do in live workspaces; it holds in a workspace's sandbox twin too.
create table if not exists memberships (
    workspace_id uuid not null references workspaces (id),
    user_id      uuid not null references users (id) on delete cascade,
    role         smallint not null, -- people.Role
    brands       uuid[] not null default '{}', -- whose accounts and posts they see; empty: all. Those of brands that are gone stay
    created_at   timestamptz not null default now(),
    primary key (workspace_id, user_id)
);
create index if not exists memberships_user on memberships (user_id);

-- Who is signed in. A session that has ended has no row.
create table if not exists sessions (
    id           uuid primary key,
    user_id      uuid not null references users (id) on delete cascade,
    hash         bytea not null unique, -- SHA-256 of its token
    workspace_id uuid references workspaces (id), -- the live one it works on; null: none
    sandbox      boolean not null default false,  -- it works on that one's twin
    address      text not null, -- the network it was begun from
    agent        text not null,
    created_at   timestamptz not null,
    seen_at      timestamptz not null, -- to the minute
    expires_at   timestamptz not null
);
create index if not exists sessions_user on sessions (user_id);
create index if not exists sessions_seen on sessions (seen_at);

-- Links that sign somebody in, once.
create table if not exists sign_in_links (
    hash       bytea primary key, -- SHA-256 of its token
    user_id    uuid references users (id) on delete cascade, -- null: it makes the first owner
    expires_at timestamptz not null
);

-- Who is asked to become a member; gone once they are.
create table if not exists invitations (
    id           uuid primary key,
    workspace_id uuid not null references workspaces (id),
    email        text not null, -- in lower case
    role         smallint not null, -- people.Role
    brands       uuid[] not null default '{}',
    hash         bytea not null unique, -- SHA-256 of its token
    invited_by   uuid references users (id) on delete set null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    unique (workspace_id, email)
);
