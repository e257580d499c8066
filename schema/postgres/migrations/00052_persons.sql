-- +goose Up

-- Whoever connects an account waits behind this: it is tried again where somebody is at it.
set local lock_timeout = '200ms';

-- Who has consented to an account, where the platform calls for persons: SHA-256 of the platform
-- and the person's id there.
alter table accounts add column person bytea;
