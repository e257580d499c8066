-- +goose Up

-- What is shown of a key in place of it, and when it was used last, to the minute.
alter table api_keys
    add column prefix text not null default '',
    add column last_used_at timestamptz,
    add column suspended_until timestamptz; -- it went on in spite of 429
create index api_keys_workspace on api_keys (workspace_id, id);

-- Of those who registered by themselves: where changes of the API are announced to.
alter table workspaces add column email text;

-- What all gateways count together within a window of time: requests of a key, those it
-- sent in spite of 429, registrations from an address. What a crash of PostgreSQL loses of
-- it is over within the window, so it needs no log.
create unlogged table request_windows (
    subject  text primary key,
    began_at timestamptz not null,
    used     int not null
) with (fillfactor = 50);

-- When the next call of an app may be made that its accounts in all processes share: the
-- turns before it are leased.
create table app_turns (
    app     text primary key, -- platform, and what names the app there
    next_at timestamptz not null
) with (fillfactor = 50);

-- What a stage failed on by a fault of crier's own, with how often it did; see
-- schema.Fault. Once it is dead nothing brings it back but a replay.
create table dead_letters (
    id         uuid primary key,
    stage      text not null,
    subject    uuid not null,     -- of the job or the batch of events; of what nobody can read a hash
    n          smallint not null, -- of the target; 0 elsewhere
    unreadable boolean not null,  -- nothing in PostgreSQL that is known brings it again
    topic      text not null,
    partition  int not null,
    key        bytea,
    value      bytea not null,
    reason     text not null,
    tries      smallint not null,
    failed_at  timestamptz not null,
    dead_at    timestamptz, -- null: it is still tried
    replay_at  timestamptz  -- since when an unreadable one waits to be written to the log again
);
create unique index dead_letters_subject on dead_letters (stage, subject, n);

-- Names the claim, which whoever sent it may have got no answer to: it takes up again what
-- is claimed under this name, since no call was made.
alter table targets add column token int8;
alter table comments add column token int8;
alter table deliveries add column token int8;
alter table accounts
    add column renew_token int8,
    add column renew_from smallint; -- the step of the renewal before it was claimed

-- Overdue jobs that nothing holds: each second somebody asks for the oldest, and a pause
-- may hold any number of older ones.
create index jobs_overdue_free on jobs (overdue_since) where overdue_since is not null and not held;

-- What workspaces pay for, by the payment provider's ids; see schema.Subscription. A row
-- stays when it has ended: notices come twice and in any order. The newest change that was
-- taken is kept, and one that comes before the payment's waits in a row that has not begun.
create table subscriptions (
    id           text primary key,
    workspace_id uuid not null references workspaces (id),
    plan         text not null references plans (name),
    began_at     timestamptz default now(), -- null: not paid yet, and of no effect
    ended_at     timestamptz,
    changed_at   timestamptz, -- of the newest change taken; null: as it was bought
    changed_by   text[] not null default '{}' -- the notices taken of that second
);
create index subscriptions_workspace on subscriptions (workspace_id);

-- A retry looks for what may be there before it calls. Which entries of a target ended
-- without anybody knowing is a set of bits, by position; what failed as outcome_unknown
-- before this says it by its error and its entry.
alter table targets
    add column unsettled integer not null default 0,
    add column accept_duplicate boolean not null default false; -- of the last retry: a second post is accepted where nobody can tell

-- A retry that was accepted before this and is not claimed yet, and holes of threads: their
-- error is gone or another's, the timeline knows. A call was made before its answer was lost.
update targets t set unsettled = 1 << t.entry, step = 2, since = coalesce(t.since, a.at - interval '1 minute')
from (
    select post_id, n, entry, max(at) at from attempts where kind = 8 and comment = -1 group by post_id, n, entry -- outcome_unknown
) a
where a.post_id = t.post_id and a.n = t.n and a.entry = t.entry
  and t.state = 0 and t.step = 0 and t.error ->> 'code' = 'outcome_unknown';
update targets t set unsettled = t.unsettled | h.entries, since = coalesce(t.since, h.at - interval '1 minute')
from (
    select post_id, n, bit_or(1 << entry) entries, min(at) at
    from attempts where kind = 11 and comment = -1 and code = 'outcome_unknown' group by post_id, n -- entry_failed
) h
where h.post_id = t.post_id and h.n = t.n and t.state <> 2;

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

-- Why an account's platform lets crier act for it no more (schema.End), and its words for
-- it. needs_reconnect follows from it: whether connecting the account again helps.
alter table accounts
    add column ended       smallint not null default 0,
    add column end_message text;
update accounts set ended = 1 where needs_reconnect;
