-- +goose NO TRANSACTION
-- +goose Up

-- Open posts in the order in which they are listed, by the set of their platforms: whatever
-- few of them a filter selects is found without reading the others. An index on the state
-- would end the HOT updates of claims and finishes. Nobody waits for these statements; one
-- that is cut off begins anew.
drop index concurrently if exists posts_listing;
create index concurrently posts_listing on posts (workspace_id, platforms, scheduled_for desc, id desc);
drop index concurrently if exists posts_brand;
create index concurrently posts_brand on posts (workspace_id, brand_id, scheduled_for desc, id desc) where brand_id is not null;

-- Of the states that is the one which neither claims nor finishes change.
alter table posts add column if not exists draft boolean not null default false;
update posts set draft = true where status = 1 and not draft;
drop index concurrently if exists posts_drafts;
create index concurrently posts_drafts on posts (workspace_id, scheduled_for desc, id desc) where draft;

-- What ended before there was a history waits for the archive.
insert into ended_posts (post_id, workspace_id, status, scheduled_for, ended_at)
select id, workspace_id, status, scheduled_for, updated_at from posts where status in (4, 5, 6, 7) and left_n = 0
on conflict do nothing;
