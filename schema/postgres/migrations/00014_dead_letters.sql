-- +goose Up

-- What a stage failed on by a fault of crier's own, with how often it did; see
-- schema.Fault. Once it is dead nothing brings it back but a replay.
create table dead_letters (
    id         uuid primary key,
    stage      text not null,
    subject    uuid not null,     -- of the job or the batch of events; of what nobody can read a hash
    n          smallint not null, -- of the target; 0 elsewhere
    unreadable boolean not null,  -- nothing in PostgreSQL that is known brings it again
    topic      text not null,
    partition  int not null,
    key        bytea,
    value      bytea not null,
    reason     text not null,
    tries      smallint not null,
    failed_at  timestamptz not null,
    dead_at    timestamptz, -- null: it is still tried
    replay_at  timestamptz  -- since when an unreadable one waits to be written to the log again
);
create unique index dead_letters_subject on dead_letters (stage, subject, n);
