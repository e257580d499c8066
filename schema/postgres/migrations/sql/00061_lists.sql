-- +goose NO TRANSACTION
-- +goose Up

-- When somebody last changed an open post, by an edit or a retry. Claims and finishes leave it
-- alone: an index on updated_at would end their HOT updates. All that reads and writes posts
-- waits behind this: it is tried again where somebody is at it.
-- +goose StatementBegin
do $$
begin
    set local lock_timeout = '200ms';
    alter table posts add column if not exists edited_at timestamptz;
end
$$;
-- +goose StatementEnd

-- What was edited before there was the column: some posts a transaction, since whoever changes
-- one of them waits for it.
-- +goose StatementBegin
do $$
declare
    after uuid := '00000000-0000-0000-0000-000000000000';
    last  uuid;
begin
    loop
        select id into last from (select id from posts where id > after order by id limit 2000) chunk order by id desc limit 1;
        exit when last is null;
        update posts set edited_at = updated_at
        where id > after and id <= last and status in (1, 2) and updated_at <> created_at and edited_at is null;
        after := last;
        commit;
    end loop;
end
$$;
-- +goose StatementEnd

-- Open posts in the order of their creation, and those that were edited in that of their edits.
-- Nobody waits for these statements; one that is cut off begins anew.
drop index concurrently if exists posts_created;
create index concurrently posts_created on posts (workspace_id, id);
drop index concurrently if exists posts_edited;
create index concurrently posts_edited on posts (workspace_id, edited_at, id) where edited_at is not null;

-- History in the order of creation, and in that of the end. A month at a time: only those wait
-- who bring one of its posts back, or move one there.
create index if not exists posts_history_created on only posts_history (workspace_id, id) where from_api;
create index if not exists posts_history_changed on only posts_history (workspace_id, status, ended_at, id) where from_api;
-- +goose StatementBegin
do $$
declare
    month regclass;
    space text;
    name  text;
begin
    for month, space, name in
        select c.oid::regclass, n.nspname, c.relname from pg_inherits i
        join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
        where i.inhparent = 'posts_history'::regclass and not i.inhdetachpending
    loop
        execute format('create index if not exists %I on %s (workspace_id, id) where from_api', name || '_created', month);
        execute format('alter index posts_history_created attach partition %I.%I', space, name || '_created');
        commit;
        execute format('create index if not exists %I on %s (workspace_id, status, ended_at, id) where from_api', name || '_changed', month);
        execute format('alter index posts_history_changed attach partition %I.%I', space, name || '_changed');
        commit;
    end loop;
end
$$;
-- +goose StatementEnd
