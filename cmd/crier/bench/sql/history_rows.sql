-- settings
set synchronous_commit = off; set maintenance_work_mem = '512MB'; set max_parallel_maintenance_workers = 0
-- ids
create function pg_temp.id(at timestamptz, i int8) returns uuid immutable language sql as $$
    select overlay(overlay(lpad(to_hex((extract(epoch from at) * 1000)::int8), 12, '0') || right(md5(i::text), 20) placing '7' from 13) placing '8' from 17)::uuid
$$
-- workspaces
insert into workspaces (id, name, plan)
select pg_temp.id(now(), n), 'history-' || n, 'operator' from generate_series(1, 99) n
-- part
create temp table part (own uuid, others uuid[], accounts uuid[], platforms int2[], created timestamptz, first int8, count int8, start timestamptz, step interval)
-- plain
alter table part alter others set storage plain, alter accounts set storage plain, alter platforms set storage plain
-- whose
insert into part select (select id from workspaces where name = @workspace and live_id is null),
    (select array_agg(id order by id) from workspaces where name like 'history-%'),
    @accounts::uuid[], @platforms::int2[], now(), 0, 0, now(), interval '0'
-- next part
update part set first = @first, count = @count, start = @start, step = @step
-- rows of a part
create function pg_temp.rows() returns table (i int8, at timestamptz, workspace uuid, account uuid, platform int2, failed bool, cancelled bool, created timestamptz) stable language sql as $$
    select i, start + step * (i - first), case when i % 5 = 0 then own else others[1 + i % cardinality(others)] end,
        accounts[1 + i % cardinality(accounts)], platforms[1 + i % cardinality(platforms)], i % 53 = 0, i % 97 = 0 and i % 53 <> 0, created
    from part, generate_series(first, first + count - 1) i
$$
-- posts_history
insert into PARTITION (id, workspace_id, version, status, scheduled_for, timezone, from_api, platforms, content, left_n, posted_n, failed_n, created_at, updated_at, ended_at)
select pg_temp.id(at - interval '1 day', i), workspace, 1, case when failed then 6 when cancelled then 7 else 4 end, at, 'UTC', true, 1 << platform,
    ('{"entries": [{"text": "what was said as number ' || i || '"}]}')::json,
    0, case when failed or cancelled then 0 else 1 end, case when failed then 1 else 0 end, at - interval '1 day', at, at
from pg_temp.rows()
-- targets_history
insert into PARTITION (post_id, n, version, account_id, platform, state, step, receipts, error, posted_at, ended_at)
select pg_temp.id(at - interval '1 day', i), 0, 1, account, platform, case when failed then 3 when cancelled then 4 else 2 end, 1,
    case when failed or cancelled then '[]'::json
        else ('[{"entry": 0, "id": "' || i || '", "url": "https://social.example/' || i || '", "at": "' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '"}]')::json end,
    case when failed then '{"code": "platform_refused", "message": "the platform refuses the post"}'::json end,
    case when not failed and not cancelled then at end, at
from pg_temp.rows()
-- indexes
select coalesce(array_agg(indexdef), '{}') from pg_indexes where tablename = 'posts' and schemaname = current_schema() and indexname <> 'posts_pkey'
-- without indexes
do $$
declare name text;
begin
    for name in select indexname from pg_indexes where tablename = 'posts' and schemaname = current_schema() and indexname <> 'posts_pkey' loop
        execute format('drop index %I', name);
    end loop;
end
$$
-- posts
insert into posts (id, workspace_id, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
select pg_temp.id(created, i), workspace, 2, at, 'UTC', true, 1 << platform,
    ('{"entries": [{"text": "what will be said as number ' || i || '"}]}')::json, 1, created, created
from pg_temp.rows()
-- targets
insert into targets (post_id, n, version, account_id, platform, step)
select pg_temp.id(created, i), 0, 1, account, platform, 0 from pg_temp.rows()
-- jobs_far
insert into jobs_far (id, kind, shard, due_at, version, payload)
select id, 1, get_byte(uuid_send(id), 15), at, 1,
    ('{"post": "' || id || '", "version": 1, "workspace": "' || workspace || '", "accounts": ["' || account || '"]}')::json
from pg_temp.rows(), lateral (select pg_temp.id(created, i) id) post
