-- +goose Up

-- Most of a counter's versions stay on its page then, without an entry in the indexes: where a
-- transaction holds xmin none of them goes, and whoever takes a unit looks at all entries of the
-- counter. What is there keeps its pages until they are written anew.
set local lock_timeout = '200ms';
alter table counters set (fillfactor = 10);
