-- +goose Up

-- When the next call of an app may be made that its accounts in all processes share: the
-- turns before it are leased.
create table app_turns (
    app     text primary key, -- platform, and what names the app there
    next_at timestamptz not null
) with (fillfactor = 50);
