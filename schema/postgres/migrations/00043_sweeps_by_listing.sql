-- +goose NO TRANSACTION
-- +goose Up

-- Sweeps go by the index of listings, so that a post is in one index less.
alter table sweeps add column if not exists platforms int not null default 0;
drop index concurrently if exists posts_schedule;
