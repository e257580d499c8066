-- +goose Up

-- Names the claim, which whoever sent it may have got no answer to: it takes up again what
-- is claimed under this name, since no call was made.
alter table targets add column token int8;
alter table comments add column token int8;
alter table deliveries add column token int8;
alter table accounts
    add column renew_token int8,
    add column renew_from smallint; -- the step of the renewal before it was claimed

-- Overdue jobs that nothing holds: each second somebody asks for the oldest, and a pause
-- may hold any number of older ones.
create index jobs_overdue_free on jobs (overdue_since) where overdue_since is not null and not held;

-- What workspaces pay for, by the payment provider's ids; see schema.Subscription. A row
-- stays when it has ended: notices come twice and in any order. The newest change that was
-- taken is kept, and one that comes before the payment's waits in a row that has not begun.
create table subscriptions (
    id           text primary key,
    workspace_id uuid not null references workspaces (id),
    plan         text not null references plans (name),
    began_at     timestamptz default now(), -- null: not paid yet, and of no effect
    ended_at     timestamptz,
    changed_at   timestamptz, -- of the newest change taken; null: as it was bought
    changed_by   text[] not null default '{}' -- the notices taken of that second
);
create index subscriptions_workspace on subscriptions (workspace_id);
