-- +goose Up
set local lock_timeout = '200ms';
alter table media add column announced json not null default '{}'; -- schema.Announced
