-- +goose Up

set local lock_timeout = '200ms';

-- Who did what to which thing, by the month; written in the transaction of the change, and never changed
-- but for the name of a user who is removed.
create table if not exists audit (
    id           uuid not null,
    at           timestamptz not null,
    workspace_id uuid,              -- that the thing is of; null: of none, as users
    actor        smallint not null, -- people.ActorKind
    actor_id     text not null,
    actor_name   text not null,
    address      text not null,     -- the network it came from; empty: none
    action       text not null,
    subject      text not null,     -- the type of the thing
    subject_id   text not null,
    subject_name text not null,
    changes      jsonb not null,    -- people.Change: what was and what is, in words
    primary key (id, at)
) partition by range (at);
create index if not exists audit_order on audit (workspace_id, at desc, id desc);
create index if not exists audit_subject on audit (workspace_id, subject_id, at desc, id desc);
create index if not exists audit_actor on audit (actor_id, at desc, id desc);

-- Changes must find their month before maintenance makes any.
-- +goose StatementBegin
do $$
declare month timestamptz;
begin
    for n in -1 .. 2 loop
        month := date_trunc('month', (now() at time zone 'UTC') + make_interval(months => n)) at time zone 'UTC';
        if to_regclass('audit_' || to_char(month at time zone 'UTC', 'YYYYMM')) is null then
            execute format('create table %I partition of audit for values from (%L) to (%L)',
                'audit_' || to_char(month at time zone 'UTC', 'YYYYMM'), month,
                date_trunc('month', (now() at time zone 'UTC') + make_interval(months => n + 1)) at time zone 'UTC');
        end if;
    end loop;
end $$;
-- +goose StatementEnd
