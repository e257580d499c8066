-- +goose Up

-- The keys that seal what is stored here, from before the first value is sealed: a process whose
-- keyset has none of them belongs to another installation. A rotation adds its key before it
-- seals, and takes away those that it drops.
create table installation_keyset (
    one  boolean primary key default true check (one),
    keys bigint[] not null check (cardinality(keys) > 0)
);
