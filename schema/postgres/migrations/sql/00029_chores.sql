-- +goose NO TRANSACTION
-- +goose Up

-- What is forgotten a chunk at a time, the oldest first: a chunk reads what it deletes. Rows
-- of one commit have one time, so that these indexes hold some bytes a row.
--
-- The tables may have millions of rows, which nobody waits for. What was cut off leaves an
-- index that is of no use, and is begun anew.
drop index concurrently if exists idempotency_created;
create index concurrently idempotency_created on idempotency (created_at);
drop index concurrently if exists idempotency_age;
drop index concurrently if exists attempts_at;
create index concurrently attempts_at on attempts (at);
drop index concurrently if exists attempts_age;
drop index concurrently if exists counters_period;
create index concurrently counters_period on counters (period);
drop index concurrently if exists dead_letters_failed;
create index concurrently dead_letters_failed on dead_letters (failed_at);
drop index concurrently if exists dead_letters_tried;
create index concurrently dead_letters_tried on dead_letters (failed_at) where dead_at is null;
drop index concurrently if exists dead_letters_unreadable;
create index concurrently dead_letters_unreadable on dead_letters (failed_at) where unreadable;
