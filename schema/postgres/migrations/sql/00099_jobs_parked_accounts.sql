-- +goose NO TRANSACTION
-- +goose Up

-- Parked jobs by the accounts that they are for. Whether a job is parked is asked as no other index has it: the planner
-- would read that of all that is parked, while the statistics know of none. Jobs that are not parked are not in it.
drop index concurrently if exists jobs_parked_accounts;
create index concurrently jobs_parked_accounts on jobs using gin ((coalesce(payload -> 'accounts', payload -> 'account')::jsonb))
    with (fastupdate = off) where case when held then true end;
