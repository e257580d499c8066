-- +goose Up

-- Overdue jobs that nothing holds: each second somebody asks for the oldest, and a pause
-- may hold any number of older ones.
create index jobs_overdue_free on jobs (overdue_since) where overdue_since is not null and not held;
