-- +goose Up
-- Which limits the posts of a workspace are held to: schema.LimitSet. A twin has its workspace's.
alter table workspaces add column if not exists limits smallint not null default 0;
