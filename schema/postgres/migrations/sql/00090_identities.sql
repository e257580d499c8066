-- +goose Up

set local lock_timeout = '200ms';

-- Who somebody is at an issuer of OpenID Connect: its subject, never an address.
create table if not exists identities (
    id         uuid primary key,
    user_id    uuid not null references users (id) on delete cascade,
    issuer     text not null, -- its URL, as its tokens have it
    subject    text not null,
    email      text not null, -- as the issuer told it last, to be shown: nobody is found by it
    created_at timestamptz not null,
    used_at    timestamptz not null,
    unique (issuer, subject),
    unique (user_id, issuer)
);

-- Public keys of credentials by which people sign in (WebAuthn).
create table if not exists passkeys (
    id              uuid primary key,
    user_id         uuid not null references users (id) on delete cascade,
    credential_id   bytea not null unique, -- as the authenticator calls it
    public_key      bytea not null,        -- COSE
    sign_count      bigint not null,       -- 0: the authenticator does not count
    transports      text[] not null,
    backup_eligible boolean not null,      -- it may be copied to other devices; it never changes
    name            text not null,
    created_at      timestamptz not null,
    used_at         timestamptz            -- null: never
);
create index if not exists passkeys_user on passkeys (user_id);

-- What a browser has begun to sign in by, or to add as a way to, and has not ended.
create table if not exists ceremonies (
    hash       bytea primary key, -- SHA-256 of the token in the browser's cookie
    kind       smallint not null, -- people.CeremonyKind
    provider   text not null,     -- name of an issuer; empty: a passkey
    user_id    uuid references users (id) on delete cascade, -- whose way it will be; null: somebody signs in
    session_id uuid,              -- in which it was begun; null: in none
    expires_at timestamptz not null
);
create index if not exists ceremonies_expired on ceremonies (expires_at);
create index if not exists ceremonies_user on ceremonies (user_id);

alter table memberships
    add column if not exists given_by text; -- issuer whose groups gave it; null: people did

alter table sessions
    add column if not exists means smallint not null default 0, -- people.Means
    add column if not exists provider text not null default ''; -- name of the issuer
