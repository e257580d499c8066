-- +goose NO TRANSACTION
-- +goose Up

-- A backlog is read by a cursor over (shard, due_at, id): a million jobs may be due at one
-- instant. Indexes are made beside the work; one that was cut off is made anew.
drop index concurrently if exists jobs_order;
create index concurrently jobs_order on jobs (shard, due_at, id);
drop index concurrently if exists jobs_due;

-- Parked jobs, in the order in which they are resumed.
drop index concurrently if exists jobs_parked;
create index concurrently jobs_parked on jobs (overdue_since, id) where held;
drop index concurrently if exists jobs_overdue;

-- Pauses that were lifted, and how far what they held is due again.
create table if not exists resumes (
    id          uuid primary key,
    after_since timestamptz not null default '-infinity', -- overdue_since and id of the last job that was looked at
    after_id    uuid not null default '00000000-0000-0000-0000-000000000000'
);
