-- +goose NO TRANSACTION
-- +goose Up

-- Lists leave out what did not come by the API. With that in the indexes the pages before a deep one
-- are counted off in them alone, without reading the posts. Nobody waits for these statements, and the
-- index before stays until the next is built; what is cut off begins anew.
drop index concurrently if exists posts_schedule_next;
create index concurrently posts_schedule_next on posts (workspace_id, scheduled_for desc, id desc) include (from_api);
drop index concurrently if exists posts_schedule;
alter index posts_schedule_next rename to posts_schedule;

drop index concurrently if exists posts_listing_next;
create index concurrently posts_listing_next on posts (workspace_id, platforms, scheduled_for desc, id desc) include (from_api);
drop index concurrently if exists posts_listing;
alter index posts_listing_next rename to posts_listing;

drop index concurrently if exists posts_brand_next;
create index concurrently posts_brand_next on posts (workspace_id, brand_id, scheduled_for desc, id desc) include (from_api) where brand_id is not null;
drop index concurrently if exists posts_brand;
alter index posts_brand_next rename to posts_brand;

drop index concurrently if exists posts_created_next;
create index concurrently posts_created_next on posts (workspace_id, id) include (from_api);
drop index concurrently if exists posts_created;
alter index posts_created_next rename to posts_created;
