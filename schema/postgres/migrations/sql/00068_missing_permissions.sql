-- +goose Up

-- Since when a platform lets an account not be read so, for want of a permission; null: it does,
-- as far as it is known.
set local lock_timeout = '200ms';
alter table collections add column refused_at timestamptz;
