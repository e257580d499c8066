-- +goose Up

-- What is forgotten a chunk at a time, the oldest first: a chunk reads what it deletes. Rows
-- of one commit have one time, so that these indexes hold some bytes a row.
create index idempotency_created on idempotency (created_at);
drop index idempotency_age;
create index attempts_at on attempts (at);
drop index attempts_age;
create index counters_period on counters (period);
create index dead_letters_failed on dead_letters (failed_at);
create index dead_letters_tried on dead_letters (failed_at) where dead_at is null;
create index dead_letters_unreadable on dead_letters (failed_at) where unreadable;
