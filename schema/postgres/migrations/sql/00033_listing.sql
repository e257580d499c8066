-- +goose NO TRANSACTION
-- +goose Up

-- Of the states that is the one which neither claims nor finishes change. All that reads and
-- writes posts waits behind this: it is tried again where somebody is at it.
-- +goose StatementBegin
do $$
begin
    set local lock_timeout = '200ms';
    alter table posts add column if not exists draft boolean not null default false;
end
$$;
-- +goose StatementEnd

-- Open posts in the order in which they are listed, by the set of their platforms: whatever
-- few of them a filter selects is found without reading the others. An index on the state
-- would end the HOT updates of claims and finishes. Nobody waits for these statements; one
-- that is cut off begins anew.
drop index concurrently if exists posts_listing;
create index concurrently posts_listing on posts (workspace_id, platforms, scheduled_for desc, id desc);
drop index concurrently if exists posts_brand;
create index concurrently posts_brand on posts (workspace_id, brand_id, scheduled_for desc, id desc) where brand_id is not null;

-- Drafts are marked, and what ended before there was a history is noted for the archive: some
-- posts a transaction, since whoever changes one of them waits for it.
-- +goose StatementBegin
do $$
declare
    after uuid := '00000000-0000-0000-0000-000000000000';
    last  uuid;
begin
    loop
        select id into last from (select id from posts where id > after order by id limit 2000) chunk order by id desc limit 1;
        exit when last is null;
        update posts set draft = true where id > after and id <= last and status = 1 and not draft;
        insert into ended_posts (post_id, workspace_id, status, scheduled_for, ended_at)
        select id, workspace_id, status, scheduled_for, updated_at from posts
        where id > after and id <= last and status in (4, 5, 6, 7) and left_n = 0
        on conflict do nothing;
        after := last;
        commit;
    end loop;
end
$$;
-- +goose StatementEnd

drop index concurrently if exists posts_drafts;
create index concurrently posts_drafts on posts (workspace_id, scheduled_for desc, id desc) where draft;
