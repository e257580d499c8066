-- +goose Up

-- What accounts are grouped by: a client of an agency, a product.
create table brands (
    id           uuid primary key,
    workspace_id uuid not null references workspaces (id),
    name         text not null,
    created_at   timestamptz not null,
    updated_at   timestamptz not null
);
create unique index brands_name on brands (workspace_id, lower(name));

-- revision counts the credentials an account has had: what belongs to older ones is told
-- by it. A disconnected account keeps its row, so that posts still name it and it can
-- come back under its id; its credentials are gone.
--
-- renew_*: how the renewal of its credentials stands; see schema.Renewal.
alter table accounts
    add column revision        int not null default 1,
    add column disconnected_at timestamptz,
    add column expires_at      timestamptz, -- of the access token; null: not known, or never
    add column renewable       boolean not null default false, -- without its owner
    add column checked_at      timestamptz, -- when its platform last took the credentials
    add column warned_of       timestamptz, -- the expiry that was told of
    add column renew_at        timestamptz, -- not before; null: nothing is to be done
    add column renew_asked_at  timestamptz, -- since when the platform refuses the access token
    add column renew_step      smallint not null default 0,
    add column renew_claim     int not null default 0,
    add column renew_lease     timestamptz,
    add column renew_node      uuid,
    add column renew_attempts  smallint not null default 0;
create index accounts_brand on accounts (brand_id) where brand_id is not null;
