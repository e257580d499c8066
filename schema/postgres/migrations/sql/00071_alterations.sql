-- +goose Up

set local lock_timeout = '200ms';

-- Since when a platform lets an account not be read so, for want of a permission; null: it does,
-- as far as it is known. Migration 68, which is no more, added it too.
alter table collections add column if not exists refused_at timestamptz;

-- Most versions of an account's day stay on its page then, without entries of their own in the
-- index: while a transaction holds xmin none of them goes, and whoever takes a unit of the day
-- looks at all its entries. Pages that are there are filled as they were until they are written anew.
alter table counters set (fillfactor = 10);
