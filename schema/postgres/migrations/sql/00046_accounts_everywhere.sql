-- +goose NO TRANSACTION
-- +goose Up

-- Nobody waits for these statements; one that is cut off begins anew.
drop index concurrently if exists accounts_reconnect;
create unique index concurrently accounts_reconnect on accounts (reconnect) where reconnect is not null;

-- Accounts that other workspaces have.
drop index concurrently if exists accounts_everywhere;
create index concurrently accounts_everywhere on accounts (platform, native_id) where disconnected_at is null;
