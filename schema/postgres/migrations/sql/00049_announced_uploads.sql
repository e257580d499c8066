-- +goose Up
alter table media add column announced json not null default '{}'; -- schema.Announced
