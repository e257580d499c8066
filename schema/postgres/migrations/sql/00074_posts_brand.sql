-- +goose NO TRANSACTION
-- +goose Up

-- As posts_schedule before it.
drop index concurrently if exists posts_brand_next;
drop index concurrently if exists posts_brand_before;
create index concurrently posts_brand_next on posts (workspace_id, brand_id, scheduled_for desc, id desc) include (from_api, platforms)
    where brand_id is not null;
-- +goose StatementBegin
do $$
begin
    set local lock_timeout = '200ms';
    alter index posts_brand rename to posts_brand_before;
    alter index posts_brand_next rename to posts_brand;
end
$$;
-- +goose StatementEnd
drop index concurrently posts_brand_before;
