-- +goose Up

-- A retry looks for what may be there before it calls. Which entries of a target ended
-- without anybody knowing is a set of bits, by position; what failed as outcome_unknown
-- before this says it by its error and its entry.
alter table targets
    add column unsettled integer not null default 0,
    add column accept_duplicate boolean not null default false; -- of the last retry: a second post is accepted where nobody can tell
