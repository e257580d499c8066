-- +goose NO TRANSACTION
-- +goose Up

-- Lists leave out what did not come by the API. With that in the index the pages before a deep one are
-- counted off in it alone, without reading the posts. Nobody waits for these statements, and lists have
-- an index at any time: the one before goes once the next has its name. What is cut off begins anew,
-- which is why each index has a migration of its own.
drop index concurrently if exists posts_schedule_next;
drop index concurrently if exists posts_schedule_before;
create index concurrently posts_schedule_next on posts (workspace_id, scheduled_for desc, id desc) include (from_api);
-- +goose StatementBegin
do $$
begin
    set local lock_timeout = '200ms';
    alter index posts_schedule rename to posts_schedule_before;
    alter index posts_schedule_next rename to posts_schedule;
end
$$;
-- +goose StatementEnd
drop index concurrently posts_schedule_before;
