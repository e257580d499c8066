-- +goose Up

set local lock_timeout = '200ms';

-- What a key is limited to, and whose it is.
alter table api_keys
    add column if not exists networks cidr[] not null default '{}', -- that it may be used from; empty: any
    add column if not exists made_by  uuid;                         -- the user who made it; null: another key, a command or a registration. The user may be gone

-- The member who asked a person to connect accounts; null: a key did.
alter table consents add column if not exists made_by uuid;

-- Whether a member connected the account, at the dashboard; else it was connected by the API or a command.
alter table accounts add column if not exists from_dashboard boolean not null default false;
