-- +goose Up

-- What makes the addresses of the sandbox's walls: every process has the same, and nobody else.
create table wall_secrets (
    one    boolean primary key default true check (one),
    secret bytea not null
);
insert into wall_secrets (secret) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
