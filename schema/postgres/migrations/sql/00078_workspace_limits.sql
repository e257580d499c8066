-- +goose Up
-- Which limits the posts of a workspace are held to: schema.LimitSet. A twin has its workspace's.
set local lock_timeout = '200ms';
alter table workspaces add column if not exists limits smallint not null default 0;
