-- +goose Up

-- The last position that was given to a batch of events. Whoever gives one holds this row
-- until it commits, so that positions become visible in their order.
create table event_positions (
    id   boolean primary key default true check (id), -- there is one row
    last bigint not null
);
insert into event_positions (last) values (0);

-- Where a batch stands in the order of GET /events; null until the sink takes it up.
alter table outbox add column position bigint;
create index outbox_position on outbox (position) where position is not null;

-- The secret before the last rotation, sealed, and until when it signs too.
alter table webhooks add column previous_secret bytea, add column previous_until timestamptz;

alter table deliveries
    add column redelivers uuid, -- the delivery that this one repeats
    add column response text not null default ''; -- how the receiver answered the last try that failed, cut off
create index deliveries_event on deliveries (event_id);
