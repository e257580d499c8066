-- +goose NO TRANSACTION
-- +goose Up

-- As posts_schedule before it.
drop index concurrently if exists posts_listing_next;
drop index concurrently if exists posts_listing_before;
create index concurrently posts_listing_next on posts (workspace_id, platforms, scheduled_for desc, id desc) include (from_api);
-- +goose StatementBegin
do $$
begin
    set local lock_timeout = '200ms';
    alter index posts_listing rename to posts_listing_before;
    alter index posts_listing_next rename to posts_listing;
end
$$;
-- +goose StatementEnd
drop index concurrently posts_listing_before;
