-- +goose Up

set local lock_timeout = '200ms';

-- Once migration 68 added it: a backup of then has it, and migration 62 makes it now.
alter table collections add column if not exists refused_at timestamptz;

-- Most versions of an account's day stay on its page then, without entries of their own in the
-- index: while a transaction holds xmin none of them goes, and whoever takes a unit of the day
-- looks at all its entries. Pages that are there are filled as they were until they are written anew.
alter table counters set (fillfactor = 10);
