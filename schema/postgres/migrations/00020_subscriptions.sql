-- +goose Up

-- What workspaces pay for, by the payment provider's ids; see schema.Subscription. A row
-- stays when it has ended: notices come twice and in any order.
create table subscriptions (
    id           text primary key,
    workspace_id uuid not null references workspaces (id),
    plan         text not null references plans (name),
    began_at     timestamptz not null default now(),
    ended_at     timestamptz
);
create index subscriptions_workspace on subscriptions (workspace_id);
