-- +goose Up

set local lock_timeout = '200ms';

-- When the user of a session last showed who they are, other than at its beginning; null: not since.
alter table sessions add column if not exists proven_at timestamptz;
