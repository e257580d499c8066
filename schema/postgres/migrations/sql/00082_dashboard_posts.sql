-- +goose NO TRANSACTION
-- +goose Up

-- History of the posts that members made at the dashboard, in the orders of lists, as there is of those by
-- the API. A month at a time: only those wait who bring one of its posts back, or move one there.
create index if not exists posts_history_d_order on only posts_history (workspace_id, scheduled_for desc, id desc) where not from_api;
create index if not exists posts_history_d_kinds on only posts_history (workspace_id, platforms, status, scheduled_for desc, id desc) where not from_api;
create index if not exists posts_history_d_brand on only posts_history (workspace_id, brand_id, status, scheduled_for desc, id desc) include (platforms)
    where not from_api and brand_id is not null;
create index if not exists posts_history_d_created on only posts_history (workspace_id, id) where not from_api;
create index if not exists posts_history_d_changed on only posts_history (workspace_id, status, ended_at, id) where not from_api;
-- +goose StatementBegin
do $$
declare
    month regclass;
    space text;
    name  text;
    kind  text;
    cols  text;
begin
    for month, space, name in
        select c.oid::regclass, n.nspname, c.relname from pg_inherits i
        join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
        where i.inhparent = 'posts_history'::regclass and not i.inhdetachpending
    loop
        for kind, cols in values
            ('_d_order', '(workspace_id, scheduled_for desc, id desc) where not from_api'),
            ('_d_kinds', '(workspace_id, platforms, status, scheduled_for desc, id desc) where not from_api'),
            ('_d_brand', '(workspace_id, brand_id, status, scheduled_for desc, id desc) include (platforms) where not from_api and brand_id is not null'),
            ('_d_created', '(workspace_id, id) where not from_api'),
            ('_d_changed', '(workspace_id, status, ended_at, id) where not from_api')
        loop
            execute format('create index if not exists %I on %s ', name || kind, month) || cols;
            execute format('alter index %I attach partition %I.%I', 'posts_history' || kind, space, name || kind);
            commit;
        end loop;
    end loop;
end
$$;
-- +goose StatementEnd
