-- +goose Up

-- A retry looks for what may be there before it calls. Which entries of a target ended
-- without anybody knowing is a set of bits, by position; what failed as outcome_unknown
-- before this says it by its error and its entry.
alter table targets
    add column unsettled integer not null default 0,
    add column accept_duplicate boolean not null default false; -- of the last retry: a second post is accepted where nobody can tell

-- A retry that was accepted before this and is not claimed yet, and holes of threads: their
-- error is gone or another's, the timeline knows. A call was made before its answer was lost.
update targets t set unsettled = 1 << t.entry, step = 2, since = coalesce(t.since, a.at - interval '1 minute')
from (
    select post_id, n, entry, max(at) at from attempts where kind = 8 and comment = -1 group by post_id, n, entry -- outcome_unknown
) a
where a.post_id = t.post_id and a.n = t.n and a.entry = t.entry
  and t.state = 0 and t.step = 0 and t.error ->> 'code' = 'outcome_unknown';
update targets t set unsettled = t.unsettled | h.entries, since = coalesce(t.since, h.at - interval '1 minute')
from (
    select post_id, n, bit_or(1 << entry) entries, min(at) at
    from attempts where kind = 11 and comment = -1 and code = 'outcome_unknown' group by post_id, n -- entry_failed
) h
where h.post_id = t.post_id and h.n = t.n and t.state <> 2;
