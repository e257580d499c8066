-- +goose Up

set local lock_timeout = '200ms';

-- Devices that ask for an API key (RFC 8628); a request is gone once it is answered.
create table if not exists device_requests (
    device_hash      bytea primary key,     -- SHA-256 of what the device asks again by
    user_hash        bytea not null unique, -- SHA-256 of what a person types
    name             text not null,         -- of the device, as it calls itself
    address          text not null,         -- the network it asked from
    permission       smallint not null,     -- that it asks for
    standing         smallint not null default 1,                      -- people.DeviceStanding
    user_id          uuid references users (id) on delete cascade,     -- who has decided; null: nobody yet
    workspace_id     uuid references workspaces (id),                  -- whose key it gets: a live one or a sandbox; null: not decided, or denied
    polled_at        timestamptz,
    interval_seconds int not null,          -- that the device waits between two questions
    created_at       timestamptz not null default now(),
    expires_at       timestamptz not null
);
create index if not exists device_requests_expiry on device_requests (expires_at);

-- Whether a member gave the key to a device.
alter table api_keys add column if not exists by_device boolean not null default false;
