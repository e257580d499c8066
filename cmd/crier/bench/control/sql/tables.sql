-- What the control writes to: the shape of one creation, with the keys and indexes that
-- any implementation of it needs.
drop schema if exists crier_bench cascade;
create schema crier_bench;
create table crier_bench.post (
    id         uuid primary key,
    tenant     uuid not null,
    content    text not null,
    settings   jsonb not null,
    state      smallint not null default 0,
    due_at     timestamptz not null,
    created_at timestamptz not null default now()
);
create index on crier_bench.post (tenant, created_at);
create table crier_bench.target (
    post_id  uuid not null,
    platform text not null,
    account  uuid not null,
    shard    smallint not null,
    state    smallint not null default 0,
    attempts smallint not null default 0,
    due_at   timestamptz not null,
    primary key (post_id, platform)
);
create index on crier_bench.target (shard, due_at) where state = 0;
create table crier_bench.outbox (
    id      bigserial primary key,
    topic   text not null,
    key     uuid not null,
    payload jsonb not null
);
create table crier_bench.idempotency (
    tenant      uuid not null,
    key         text not null,
    fingerprint bytea not null,
    post_id     uuid not null,
    created_at  timestamptz not null default now(),
    primary key (tenant, key)
);
