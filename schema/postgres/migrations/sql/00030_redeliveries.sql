-- +goose Up

-- Whoever reads webhooks waits behind this: it is tried again where somebody is at it.
set local lock_timeout = '200ms';

-- How often a webhook was enabled. A try counts for its failures in a row only where none
-- came between its claim and its end.
alter table webhooks add column enablings int not null default 0;

-- Webhooks whose failed deliveries are being sent again: of those queued after one delivery
-- and before another, a chunk at a time.
create table redeliveries (
    webhook_id uuid primary key,
    after_id   uuid not null,
    until_id   uuid not null,
    made_from  uuid, -- the first of the last chunk of new deliveries; null before it
    looked_at  timestamptz not null default now()
);
