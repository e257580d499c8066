-- +goose Up

-- Accounts on servers with limits of their own, of mastodon, are looked at every day; those
-- that were connected before begin within a day.
update accounts set renew_at = now() + random() * interval '1 day'
where platform = 11 and expires_at is null and renew_at is null and disconnected_at is null and not needs_reconnect and ended = 0;
