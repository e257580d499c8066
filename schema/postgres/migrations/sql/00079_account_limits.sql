-- +goose Up

-- Accounts with limits of their own are looked at every day: schema.Account.HasOwnLimits. Those of bluesky
-- and instagram that were connected before begin within a day; others trade their tokens as often.
set local lock_timeout = '200ms';
update accounts set renew_at = now() + random() * interval '1 day'
where platform = 7 and expires_at is null and renew_at is null and disconnected_at is null and not needs_reconnect and ended = 0;

update accounts set renew_at = now() + random() * interval '1 day'
where platform = 2 and renew_at > now() + interval '1 day';

update jobs set due_at = a.renew_at from accounts a
where jobs.id = a.id and a.platform = 2 and jobs.due_at > a.renew_at;
