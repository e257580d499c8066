-- +goose NO TRANSACTION
-- +goose Up

-- As posts_schedule before it.
drop index concurrently if exists posts_created_next;
drop index concurrently if exists posts_created_before;
create index concurrently posts_created_next on posts (workspace_id, id) include (from_api);
-- +goose StatementBegin
do $$
begin
    set local lock_timeout = '200ms';
    alter index posts_created rename to posts_created_before;
    alter index posts_created_next rename to posts_created;
end
$$;
-- +goose StatementEnd
drop index concurrently posts_created_before;
