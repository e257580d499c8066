-- +goose Up

-- Which entry, or which first comment, recent publications are, by the profile that they
-- are on: whoever looks for a lost one must not take another's for it, whatever workspace
-- that is of. Rows are only added and deleted.
--
-- The profile is a hash: of the platform, the server (of a sandbox its workspace, since it
-- shares no profile) and the account's id there (without one its id here). Written out it
-- would make most of the indexes, and of what a receipt costs.
create table receipts (
    profile   bytea not null,
    native_id text collate "C" not null,
    owner     uuid not null,             -- the post, or the first comment
    n         smallint not null,         -- of the target
    entry     smallint not null,
    seen_at   timestamptz not null default now()
);

-- What there is of the last days. Ids were not checked when they were stored.
insert into receipts (profile, native_id, owner, n, entry, seen_at)
with recent as (
    select p.id from workspaces w cross join lateral (
        select p.id from posts p where p.workspace_id = w.id and p.scheduled_for between now() - interval '9 days' and now()
    ) p
    union
    select post_id from attempts where at > now() - interval '8 days' and kind = 4 -- retried
), published as (
    select t.account_id, receipt ->> 'id' native_id, t.post_id as owner, t.n,
        case when receipt ->> 'entry' ~ '^[0-9]{1,4}$' then (receipt ->> 'entry')::int2 else 0 end entry,
        coalesce(t.posted_at, now()) seen_at
    from recent join targets t on t.post_id = recent.id
    cross join lateral json_array_elements(
        case when json_typeof(t.receipts) = 'array' and strpos(t.receipts::text, '\u0000') = 0 then t.receipts else '[]' end
    ) receipt
    union all
    select c.account_id, c.native_id, c.id, 0, 0, coalesce(c.posted_at, now())
    from comments c
    where c.native_id <> ''
      and c.id > (lpad(to_hex((extract(epoch from now() - interval '9 days') * 1000)::int8), 12, '0') || repeat('0', 20))::uuid
)
select distinct on (1, 2)
    substr(sha256(convert_to(a.platform || ' ' || case when w.live_id is null then a.server else w.id::text end || ' '
        || coalesce(nullif(a.native_id, ''), a.id::text), 'UTF8')), 1, 16),
    p.native_id, p.owner, p.n, p.entry, p.seen_at
from published p
join accounts a on a.id = p.account_id
join workspaces w on w.id = a.workspace_id
where p.native_id <> '' and length(p.native_id) <= 1000 and p.seen_at > now() - interval '8 days'
order by 1, 2, p.seen_at;

create unique index receipts_native on receipts (profile, native_id);
create index receipts_profile on receipts (profile, seen_at);
create index receipts_age on receipts (seen_at);

-- Which accounts are of one profile.
create index accounts_profile on accounts (platform, native_id, server) where disconnected_at is null;
