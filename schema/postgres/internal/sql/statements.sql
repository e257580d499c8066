-- The 779 statements of schema/postgres as PostgreSQL gets them, by file and declaration, with 60 fragments
-- written out. What is in braces is given at run time. go test ./schema/postgres/internal/sql -update writes this file.

-- accounts/accounts.go UpdateAccount
update accounts set brand_id = $3, name = $4 where id = $1 and workspace_id = $2;

-- accounts/accounts.go lockAccount
select a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits from accounts a join workspaces w on w.id = a.workspace_id
  where a.id = $1 and a.workspace_id = $2 and a.disconnected_at is null for update of a;

-- accounts/accounts.go Disconnect
update accounts set disconnected_at = now(), sealed = '', revision = revision + 1, needs_reconnect = false, ended = 0, end_message = null, expires_at = null,
  renew_at = null, renew_asked_at = null, renew_step = 0, renew_lease = null, renew_attempts = 0
where id = $1 and workspace_id = $2;

-- accounts/accounts.go Disconnect
delete from jobs where id = $1;

-- accounts/accounts.go AccountsVersion
select concat((
  select concat(count(*), ' ', sum(hashtextextended(concat(t.ctid, ' ', t.xmin), 0)))
  from accounts t where t.workspace_id = $1 and t.disconnected_at is null), ', ', (
  select concat(count(*), ' ', sum(hashtextextended(concat(t.ctid, ' ', t.xmin), 0))) from brands t where t.workspace_id = $1)),
coalesce((select w.limits from workspaces w where w.id = $1), $2);

-- accounts/brands.go Brands
select id, workspace_id, name, created_at, updated_at from brands where workspace_id = $1 order by id;

-- accounts/brands.go Brand
select id, workspace_id, name, created_at, updated_at from brands where id = $1 and workspace_id = $2;

-- accounts/brands.go CreateBrand
insert into brands (id, workspace_id, name, created_at, updated_at) values ($1, $2, $3, $4, $5);

-- accounts/brands.go RenameBrand
select name from brands where id = $1 and workspace_id = $2 for no key update;

-- accounts/brands.go RenameBrand
update brands set name = $3, updated_at = $4 where id = $1 and workspace_id = $2 returning id, workspace_id, name, created_at, updated_at;

-- accounts/brands.go DeleteBrand
select from accounts where brand_id = $1 and workspace_id = $2 order by id for update;

-- accounts/brands.go DeleteBrand
delete from brands where id = $1 and workspace_id = $2 returning name;

-- accounts/brands.go DeleteBrand
update accounts set brand_id = null where brand_id = $1 and workspace_id = $2;

-- accounts/connect.go linkMaker
select name, false from users where id = $1;

-- accounts/connect.go linkMaker
select name, by_device from api_keys where id = $1;

-- accounts/connect.go Remaining
select from workspaces where id = $1 for no key update;

-- accounts/connect.go Remaining
select case when w.live_id is not null or coalesce(p.accounts, 0) = 0 then 1000000 else p.accounts end - (
  select count(*) from accounts a where a.workspace_id = w.id and a.disconnected_at is null)
from workspaces w join plans p on p.name = w.plan
where w.id = $1 and w.deleting_at is null;

-- accounts/connect.go lockConnected
select a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits from accounts a join workspaces w on w.id = a.workspace_id
  where a.workspace_id = $1 and a.platform = $2 and a.native_id = $3 and a.server = $4 for update of a;

-- accounts/connect.go putConnected
insert into accounts as a (id, workspace_id, brand_id, platform, native_id, name, server, sealed, settings, revision, expires_at, renewable, created_at, renew_at, person, from_dashboard)
values (@id, @workspace, @brand, @platform, @native, @name, @server, @sealed, coalesce(@settings::text::json, '{}'), @revision, @expires, @renewable, @created, @renew, @person, @dashboard)
on conflict (id) do update set
  from_dashboard = case when a.disconnected_at is null then a.from_dashboard else excluded.from_dashboard end,
  person = coalesce(excluded.person, a.person), brand_id = excluded.brand_id, name = excluded.name, sealed = excluded.sealed, settings = excluded.settings, revision = excluded.revision,
  expires_at = excluded.expires_at, renewable = excluded.renewable, needs_reconnect = false, ended = 0, end_message = null, disconnected_at = null,
  renew_at = case when a.revision = excluded.revision then a.renew_at else excluded.renew_at end,
  renew_asked_at = case when a.revision = excluded.revision then a.renew_asked_at end,
  renew_step = case when a.revision = excluded.revision then a.renew_step else 0 end,
  renew_lease = case when a.revision = excluded.revision then a.renew_lease end,
  renew_attempts = case when a.revision = excluded.revision then a.renew_attempts else 0 end;

-- accounts/connect.go brandExists
select true from brands where id = $1 and workspace_id = $2 for share;

-- accounts/consents.go BeginConsent
insert into consents (token_hash, workspace_id, platform, server, brand_id, account_id, made_by, key_id, redirect, stage, sealed, expires_at)
select @token, @workspace, @platform, @server, @brand, @account, @user::uuid, @key::uuid, @redirect, @stage, @sealed, @expires
where @most > (select count(*) from (
  select from consents
  where workspace_id = @workspace and account_id is not distinct from @account::uuid and expires_at > @now limit @most) open);

-- accounts/consents.go TakeConsent
update consents c set stage = @taken, expires_at = @until::timestamptz
  from workspaces w left join workspaces l on l.id = w.live_id
  where c.token_hash = @token and c.platform = @platform and c.stage = @pending and c.expires_at > @now and w.id = c.workspace_id
  returning c.workspace_id, c.platform, c.server, w.live_id is not null, coalesce(c.brand_id, '00000000-0000-0000-0000-000000000000'::uuid),
coalesce(c.account_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(c.made_by, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(c.key_id, '00000000-0000-0000-0000-000000000000'::uuid), c.redirect, c.stage, c.sealed, c.expires_at, coalesce(l.name, w.name);

-- accounts/consents.go Consent
select c.workspace_id, c.platform, c.server, w.live_id is not null, coalesce(c.brand_id, '00000000-0000-0000-0000-000000000000'::uuid),
coalesce(c.account_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(c.made_by, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(c.key_id, '00000000-0000-0000-0000-000000000000'::uuid), c.redirect, c.stage, c.sealed, c.expires_at, coalesce(l.name, w.name) from consents c join workspaces w on w.id = c.workspace_id left join workspaces l on l.id = w.live_id
  where c.token_hash = $1 and c.platform = $2 and c.stage = $3 and c.expires_at > $4;

-- accounts/consents.go MoveConsent
update consents set token_hash = @token, stage = @stage, sealed = @sealed, expires_at = @expires
where token_hash = @old and stage = @from;

-- accounts/consents.go EndConsent
delete from consents where token_hash = $1;

-- accounts/consents.go ServerApp
select coalesce((select sealed from server_apps where name = $1 and callback = $2 and registered_at > $3), '');

-- accounts/consents.go PutServerApp
insert into server_apps (name, callback, sealed, registered_at) values ($1, $2, $3, $4)
on conflict (name) do update set
  callback = excluded.callback, sealed = excluded.sealed, registered_at = excluded.registered_at;

-- accounts/consents.go Redirects
select connect_redirects from workspaces where id = $1;

-- accounts/consents.go PutRedirects
select connect_redirects, name from workspaces where id = $1 for no key update;

-- accounts/consents.go PutRedirects
update workspaces set connect_redirects = $2 where id = $1;

-- accounts/consents.go ReconnectToken
update accounts set reconnect = coalesce(reconnect, gen_random_uuid()) where workspace_id = $1 and id = $2
returning reconnect;

-- accounts/consents.go AccountToReconnect
select a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits from accounts a join workspaces w on w.id = a.workspace_id
  where a.reconnect = $1 and a.disconnected_at is null;

-- accounts/consents.go ConnectedIn
select coalesce(bool_or(o.workspace_id = $4), false), coalesce(bool_or(o.workspace_id <> $4 and w.live_id is null), false)
from accounts o join workspaces w on w.id = o.workspace_id
where o.platform = $1 and o.native_id = $2 and o.server = $3 and o.disconnected_at is null;

-- accounts/health.go ask
with asked as (
  update accounts set renew_asked_at = now(), renew_at = now(),
    renew_step = case when renew_step = 0 then @step::smallint else renew_step end
  where id = @account and workspace_id = @workspace and revision = @revision
    and renew_asked_at is null and not needs_reconnect and ended = 0 and disconnected_at is null
  returning id
)
insert into jobs (id, kind, shard, due_at, payload)
select @account, @kind, @shard, @due, @payload::text::json from asked
on conflict (id) do update set due_at = least(jobs.due_at, excluded.due_at)
returning id, kind, shard, due_at, version, payload;

-- accounts/health.go AskRenewals
select a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits from accounts a join workspaces w on w.id = a.workspace_id
  where a.platform = @platform and a.native_id = @profile and a.disconnected_at is null and w.live_id is null limit @most;

-- accounts/health.go Unpermitted
select what from collections where account_id = $1 and workspace_id = $2 and refused_at is not null order by what;

-- accounts/health.go KeepSettings
update accounts set settings = @settings::text::json
where id = @account and workspace_id = @workspace and revision = @revision and disconnected_at is null;

-- accounts/health.go endAccount
update accounts set needs_reconnect = @reconnect, ended = @ended, end_message = @end_message, renew_at = @next,
  renew_asked_at = null, renew_step = 0, renew_lease = null, renew_attempts = 0, renew_claim = renew_claim + 1
where id = @account and workspace_id = @workspace and revision = @revision and disconnected_at is null and not needs_reconnect and ended = 0;

-- accounts/health.go reviveAccount
update accounts set needs_reconnect = false, ended = 0, end_message = null, renew_at = @next, checked_at = now(),
  renew_asked_at = null, renew_step = 0, renew_lease = null, renew_attempts = 0, renew_claim = renew_claim + 1
where id = @account and workspace_id = @workspace and revision = @revision and disconnected_at is null and (needs_reconnect or ended <> 0);

-- admission/admission.go Authenticate
select k.id, k.name, k.lineage, k.workspace_id, w.live_id is not null, k.permission,
  p.requests_per_minute, coalesce(p.posts_per_month, 0), k.suspended_until, k.networks, k.by_device, exists (select from restores r where k.id <= r.last_id and coalesce(k.confirmed_at < r.marked_at, true))
from api_keys k
join workspaces w on w.id = k.workspace_id
join workspaces live on live.id = coalesce(w.live_id, w.id)
join plans p on p.name = live.plan
where k.hash = $1 and w.deleting_at is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());

-- admission/uses.go StoreKeyUses
update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
from unnest($1::uuid[], $2::timestamptz[]) as u (id, at) where k.id = u.id;

-- admission/windows.go leaseRequests
insert into request_windows as w (subject, began_at, used) values ($1, $2, least($3::int, $4::int))
on conflict (subject) do update set (began_at, used) = (
  select case when current then w.began_at else excluded.began_at end,
    case when current then w.used + greatest(least($3::int, ($4::int - w.used + 3) / 4), 0) else excluded.used end
  from (select w.began_at between excluded.began_at and excluded.began_at + interval '1 minute') c (current))
returning new.began_at, new.used, new.used - case when old.began_at = new.began_at then old.used else 0 end;

-- admission/windows.go tellSuspension
select coalesce(live_id, id) from workspaces where id = $1;

-- admission/windows.go countRefusals
with counted as (
insert into request_windows as w (subject, began_at, used) values (@subject, @now, @n)
on conflict (subject) do update set
  began_at = case when w.began_at > @now::timestamptz - @length::interval then w.began_at else excluded.began_at end,
  used = case when w.began_at > @now::timestamptz - @length::interval then w.used else 0 end + excluded.used
returning began_at, used)
  update api_keys set suspended_until = @now::timestamptz + @suspension::interval, suspended_at = @now
  where id = @key and (select used from counted) > @patience and (suspended_until is null or suspended_until <= @now)
  returning suspended_until;

-- admission/windows.go forgetWindows
delete from request_windows where began_at < $1;

-- analytics.go Place
with owed as (
  select id from outbox where id = any($1) and owed & $2::int2 <> 0 order by id for update
)
update outbox set position = coalesce(position, $3) where id = any(array(select id from owed))
returning id, position;

-- analytics.go Horizon
select coalesce((select position - 1 from outbox where position > @complete and owed & @mark::int2 <> 0 order by position limit 1), last),
  (select id from outbox where owed & @mark::int2 <> 0 and id > coalesce(@from::uuid, '00000000-0000-0000-0000-000000000000'::uuid) order by id limit 1), now()
from event_positions where id;

-- app_quotas.go SpendQuota
delete from app_quotas where day < $1::date - 7;

-- app_quotas.go SpendQuota
insert into app_quotas as q (quota, day, used) select @name, @day::date, @cost where @cost::bigint <= @most
on conflict (quota, day) do update set used = q.used + @cost where q.used + @cost <= @most
returning true;

-- app_quotas.go ExhaustQuota
insert into app_quotas as q (quota, day, used) values ($1, $2::date, $3)
on conflict (quota, day) do update set used = greatest(q.used, excluded.used);

-- app_turns.go leaseOnce
insert into app_turns (app, next_at)
select app, now() - back from unnest($1::text[], $2::interval[]) u (app, back) order by app
on conflict (app) do nothing;

-- app_turns.go leaseOnce
select from app_turns where app = any($1) order by app for no key update;

-- app_turns.go leaseOnce
with granted as (
  update app_turns a set next_at = greatest(case when a.next_at > now() + greatest(u.within, interval '0') + interval '1 minute' then now() else a.next_at end, now() - u.back) + u.taken
  from unnest($1::text[], $2::interval[], $3::interval[], $4::interval[]) u (app, back, taken, within)
  where a.app = u.app and (a.next_at <= now() + u.within or a.next_at > now() + greatest(u.within, interval '0') + interval '1 minute')
  returning a.app, a.next_at - u.taken as first
)
select app, first, true, now() from granted
union all
select app, next_at, false, now() from app_turns where app = any($1) and app not in (select app from granted);

-- backup/backup.go Backup
select pg_advisory_lock_shared(hashtext('crier keyset drop'));

-- backup/backup.go copyOut
copy (select {columns} from {table}) to stdout;

-- backup/backup.go describeTables
select now(), (select max(version_id) from goose_db_version where is_applied);

-- backup/backup.go describeTables
select c.relname, array_agg(a.attname::text order by a.attnum)
from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and c.relname not in ('goose_db_version', 'restored_backup') and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
group by c.relname order by c.relname;

-- backup/backup.go describeTables
select parent, name, bound[1]::timestamptz, bound[2]::timestamptz from (
  select t.relname as parent, c.relname as name, regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''(.*)''\) TO \(''(.*)''\)') bound
  from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class t on t.oid = i.inhparent
  where t.relkind = 'p' and t.relnamespace = current_schema()::regnamespace
) p order by 1, 3;

-- backup/backup.go inOrderOfReference
select f.relname, t.relname from pg_constraint c
join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and f.oid <> t.oid;

-- backup/backup.go noteRestored
create table restored_backup (at timestamptz not null);

-- backup/backup.go noteRestored
insert into restored_backup values ($1);

-- backup/backup.go emptyForRestore
select exists (select from workspaces);

-- backup/backup.go emptyForRestore
truncate {tables};

-- backup/backup.go emptyForRestore
create table if not exists %s partition of %s for values from ('%s') to ('%s');

-- billing/subscriptions.go Subscribed
select exists (select from subscriptions where workspace_id = $1 and began_at is not null and ended_at is null);

-- billing/subscriptions.go lockSubscriber
select exists (select from plans where name = $2)
from workspaces where id = $1 and live_id is null for no key update;

-- billing/subscriptions.go beginSubscription
insert into subscriptions as s (id, workspace_id, plan, began_at) values ($1, $2, $3, now())
on conflict (id) do update set began_at = excluded.began_at
where s.workspace_id = excluded.workspace_id and s.began_at is null and s.ended_at is null;

-- billing/subscriptions.go beginSubscription
update workspaces set plan = $2 where id = $1;

-- billing/subscriptions.go followSubscription
update workspaces set plan = $3 where id = $1 and plan = $2 and plan <> $3;

-- billing/subscriptions.go paidPlan
select coalesce((
select plan from subscriptions
where workspace_id = $1 and plan <> $2 and began_at is not null and ended_at is null
order by began_at desc limit 1), $2);

-- billing/subscriptions.go changeSubscription
insert into subscriptions as s (id, workspace_id, plan, began_at, changed_at, changed_by) values ($1, $2, $3, null, $4, array[$5])
on conflict (id) do update set plan = excluded.plan, changed_at = excluded.changed_at,
  changed_by = case when s.changed_at = excluded.changed_at then s.changed_by || excluded.changed_by else excluded.changed_by end
where s.workspace_id = excluded.workspace_id and s.ended_at is null
  and (s.changed_at is null or s.changed_at < excluded.changed_at
    or s.changed_at = excluded.changed_at and not s.changed_by @> excluded.changed_by);

-- billing/subscriptions.go endSubscription
insert into subscriptions as s (id, workspace_id, plan, began_at, ended_at) values ($1, $2, $3, null, now())
on conflict (id) do update set ended_at = excluded.ended_at
where s.workspace_id = excluded.workspace_id and s.ended_at is null;

-- billing/usage.go Plans
select name, requests_per_minute, coalesce(posts_per_month, 0), coalesce(accounts, 0) from plans order by name;

-- billing/usage.go Usage
select (select count(*) from accounts where workspace_id = $1 and disconnected_at is null), coalesce((select limits from workspaces where id = $1), 0);

-- collection/collection.go restCollections
with resting as (
  update collections c set due_at = null, lease_until = null from accounts a
  where c.id = any($1) and a.id = c.account_id and not (coalesce(a.disconnected_at, 'infinity') = 'infinity' and not a.needs_reconnect and a.ended = 0)
  returning c.id
)
delete from jobs j where j.id = any($1)
  and (j.id in (select id from resting) or (select c.due_at from collections c where c.id = j.id) is null);

-- collection/collection.go holdCollections
with held as (
  update collections c set due_at = @now::timestamptz + @held::interval from accounts a
  where c.id = any(@ids) and a.id = c.account_id and coalesce(c.due_at, 'infinity') <= @now::timestamptz and c.lease_until is null and {held}
  returning c.id, c.due_at
)
update jobs j set due_at = held.due_at, fires = 0 from held where j.id = held.id;

-- collection/collection.go claimCollections
with free as materialized (
  select c.id, c.account_id from collections c
  where c.id = any(@ids) and coalesce(c.due_at, 'infinity') <= @now::timestamptz + interval '100 milliseconds' and (c.lease_until is null or c.lease_until < @now::timestamptz)
  order by c.account_id, c.what for no key update of c
)
update collections c set claim = c.claim + 1, node = @node, lease_until = @now::timestamptz + @lease::interval
from free join accounts a on a.id = free.account_id join workspaces w on w.id = a.workspace_id
where c.id = free.id and coalesce(a.disconnected_at, 'infinity') = 'infinity' and not a.needs_reconnect and a.ended = 0 and not {held}
returning a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits, c.id, c.what, c.cursor, c.claim, c.attempts;

-- collection/collection.go recentPosts
select c.account_id, s.post_id, s.n, s.native_id, s.url, s.video, s.posted_at, s.slot
from collections c cross join lateral (
  select * from snapshots s where s.account_id = c.account_id order by s.posted_at desc, s.post_id, s.n limit @limit
) s
where c.id = any(@ids) and c.what = 3
order by c.account_id, s.posted_at desc, s.post_id, s.n;

-- collection/collection.go dueSnapshots
select c.account_id, s.post_id, s.n, s.native_id, s.url, s.video, s.posted_at, s.slot
from collections c cross join lateral (
  select * from snapshots s where s.account_id = c.account_id and s.due_at <= @now::timestamptz + @early::interval
  order by s.due_at, s.post_id, s.n limit @limit
) s
where c.id = any(@ids) and c.what = 1
order by c.account_id, s.due_at, s.post_id, s.n;

-- collection/collection.go Postpone
with off as materialized (
  select c.id, u.wait from unnest(@ids::uuid[], @waits::interval[]) u (id, wait) join collections c on c.id = u.id
  where coalesce(c.due_at, 'infinity') <= @now::timestamptz + interval '100 milliseconds' and (c.lease_until is null or c.lease_until < @now::timestamptz)
  order by c.account_id, c.what for no key update of c
), late as (
  update collections c set due_at = @now::timestamptz + off.wait from off where c.id = off.id
  returning c.id, c.due_at
), moved as (
  update jobs j set due_at = late.due_at, fires = 0 from late where j.id = late.id
)
select id from late;

-- collection/collection.go Backlog
select count(*), min(due_at) from (select due_at from collections where due_at < $1 order by due_at limit $2) d;

-- collection/finish.go Finish
select from collections where id = $1 and claim = $2 and lease_until is not null for update;

-- collection/finish.go finish
update collections c set cursor = @cursor, attempts = least(@attempts, 30000), lease_until = null,
  refused_at = case when @permitted::bool then null when not @permitted::bool then coalesce(c.refused_at, @now) else c.refused_at end, due_at = case
  when c.due_at is null then null -- it was stopped meanwhile
  when c.what = 1 then (select greatest(min(s.due_at), @next::timestamptz) from snapshots s where s.account_id = c.account_id)
  when c.what = 3 and c.due_at > @now::timestamptz and c.due_at < @next::timestamptz then c.due_at -- something was posted meanwhile
  else @next end
where c.id = @id returning c.due_at;

-- collection/finish.go finish
delete from jobs where id = $1;

-- collection/finish.go queueLooks
update snapshots s set slot = u.slot, due_at = u.due
from unnest(@posts::uuid[], @targets::int2[], @slots::int2[], @due::timestamptz[]) u (post, n, slot, due)
where s.post_id = u.post and s.n = u.n and s.account_id = @account;

-- collection/finish.go queueLooks
delete from snapshots s using unnest($1::uuid[], $2::int2[]) u (post, n)
where s.post_id = u.post and s.n = u.n and s.account_id = $3;

-- collection/follow.go queueSnapshots
with u as materialized (select distinct * from unnest($1::uuid[], $2::uuid[]) u (post, account)),
open as materialized (select t.post_id, t.n, t.account_id, first.receipt ->> 'id' as native_id, coalesce(first.receipt ->> 'url', '') as url,
  t.posted_at, exists (
    select from json_array_elements(case when json_typeof(p.content -> 'entries' -> 0 -> 'media') = 'array' then p.content -> 'entries' -> 0 -> 'media' else '[]' end) m
    where coalesce(m -> 'facts' ->> 'kind', m ->> 'type') = 'video') as video
from u u join targets t on t.post_id = u.post and t.account_id = u.account and t.state = 2
join posts p on p.id = t.post_id
join accounts a on a.id = t.account_id and coalesce(a.disconnected_at, 'infinity') = 'infinity'
cross join lateral (select receipt from json_array_elements(t.receipts) receipt order by (receipt ->> 'entry')::int limit 1) first),
others as materialized (select * from u where (post, account) not in (select post_id, account_id from open)), -- hashed: a block has thousands
past as (select t.post_id, t.n, t.account_id, first.receipt ->> 'id' as native_id, coalesce(first.receipt ->> 'url', '') as url,
  t.posted_at, exists (
    select from json_array_elements(case when json_typeof(p.content -> 'entries' -> 0 -> 'media') = 'array' then p.content -> 'entries' -> 0 -> 'media' else '[]' end) m
    where coalesce(m -> 'facts' ->> 'kind', m ->> 'type') = 'video') as video
from others u join targets_history t on t.post_id = u.post and t.account_id = u.account and t.state = 2
join posts_history p on p.id = t.post_id
join accounts a on a.id = t.account_id and coalesce(a.disconnected_at, 'infinity') = 'infinity'
cross join lateral (select receipt from json_array_elements(t.receipts) receipt order by (receipt ->> 'entry')::int limit 1) first)
insert into snapshots (post_id, n, account_id, native_id, url, video, posted_at, slot, due_at)
select post_id, n, account_id, native_id, url, video, posted_at, 0, posted_at + $3::interval
from (select * from open union all select * from past) f
where native_id <> '' and posted_at is not null
order by post_id, n
on conflict (post_id, n) do nothing;

-- collection/follow.go queueForget
delete from snapshots s using accounts a
where a.id = any($1) and a.disconnected_at is not null and s.account_id = a.id;

-- collection/follow.go queueForget
with resting as (
  update collections c set due_at = null from accounts a
  where a.id = any($1) and a.disconnected_at is not null and c.account_id = a.id returning c.id
)
delete from jobs j using resting where j.id = resting.id;

-- comment.go insertComments
insert into comments as c (id, post_id, n, position, workspace_id, account_id, entry, text, state, step, since)
select * from unnest(@ids::uuid[], @posts::uuid[], @ns::int2[], @positions::int2[], @workspaces::uuid[], @accounts::uuid[],
  @entries::int2[], @texts::text[], @states::int2[], @steps::int2[], @since::timestamptz[])
on conflict (post_id, n, position) do update
  set id = excluded.id, state = excluded.state, text = excluded.text, step = excluded.step, since = excluded.since
  where c.state = 4 and excluded.state = 0;

-- comment.go dropCommentJobs
delete from jobs j where j.id = any($1)
  and not exists (select from comments c where c.id = j.id and c.state in (0, 1));

-- comment.go claimComments
update comments c set
  state = 1, claim = c.claim + 1, node = @node, token = u.token, lease_until = now() + @lease::interval,
  step = case when c.state = 1 and c.step = 1
    and not (u.takeover and c.token is not distinct from u.token) then 2 else c.step end,
  since = coalesce(c.since, now())
from unnest(@ids::uuid[], @tokens::int8[], @takeovers::bool[]) u (id, token, takeover)
  join comments k on k.id = u.id
  left join posts p on p.id = k.post_id
  left join targets t on t.post_id = k.post_id and t.n = k.n,
  accounts a, workspaces w
where c.id = u.id and (k.post_id is null or p.id is not null and t.n is not null)
  and a.id = c.account_id and w.id = a.workspace_id
  and ((c.state = 0 and (c.next_at is null or c.next_at <= least(now(), @due::timestamptz) + interval '100 milliseconds'))
  or (c.state = 1 and (c.lease_until + @settle::interval < least(now(), @latest::timestamptz) or (u.takeover and c.token = u.token))))
  and ((select not exists (select from holds)) or (not (exists (select from holds h where h.subject = c.post_id) or exists (select from restores r where r.ended_at is null and c.id <= r.last_id
  and not exists (select from restore_releases x where x.post_id = c.post_id)))
    and (not (exists (select from holds h where h.subject = any (array[c.workspace_id, c.account_id]))
  or a.platform = any (array(select h.platform from holds h where h.platform is not null))) or uuid_extract_timestamp(c.id) + @delay::interval + @late::interval < now())))
returning c.id, c.position, c.entry, c.text, c.claim, c.step, c.attempts, c.looked, coalesce(c.error ->> 'lost', ''), c.since, c.reply_to,
  coalesce(t.post_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(t.n, 0), coalesce(t.version, 0), t.receipts, p.content, (exists (select from holds h where h.subject = any (array[c.workspace_id, c.account_id]))
  or a.platform = any (array(select h.platform from holds h where h.platform is not null))), (c.step = 2 and exists (select from restores r where r.restored_to >= c.since)), a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits;

-- comment.go finish
update jobs set due_at = now() + $2::float8 * interval '1 second', held = false,
  overdue_since = coalesce(overdue_since, uuid_extract_timestamp(id) + $3::interval)
where id = $1
returning id, kind, shard, due_at, version, payload;

-- comment.go finish
delete from jobs j where j.id = $1
  and exists (select from comments c where c.id = j.id and c.state not in (0, 1));

-- comment.go finishComment
with taken as (
  update comments set
    state = @state, step = @step, attempts = @attempts, looked = @looked, next_at = now() + nullif(@next::float8, 0) * interval '1 second',
    lease_until = null, native_id = @native_id, url = @url, error = @error::text::json, posted_at = @posted
  where id = @comment and claim = @claim and state = 1
  returning id
), told as (
insert into attempts (post_id, at, kind, n, comment, entry, attempts, code, message, next_at)
select u.* from unnest(@attempt_posts::uuid[], @attempt_ats::timestamptz[], @attempt_kinds::int2[], @attempt_ns::int2[], @attempt_comments::int2[],
    @attempt_entries::int2[], @attempt_tries::int2[], @attempt_codes::text[], @attempt_messages::text[], @attempt_next::timestamptz[])
  u (post, at, kind, n, comment, entry, attempts, code, message, next)
where (u.kind <> @processing or not exists (
  select from attempts a
  where a.post_id = u.post and a.kind = u.kind and a.n = u.n and a.comment = u.comment and a.entry = u.entry)) and exists (select from taken))
select from taken;

-- delay.go Due
select id, kind, shard, due_at, version, payload from jobs
where shard = any($1) and due_at > $2 and due_at <= $3
order by due_at limit $4;

-- delay.go Backlog
select j.id, j.kind, j.shard, j.due_at, j.version, j.payload
from unnest(@shards::int2[], @due::timestamptz[], @ids::uuid[]) u (shard, due_at, id)
cross join lateral (
  select * from jobs
  where shard = u.shard and (due_at, id) > (u.due_at, u.id) and due_at <= @to
  order by due_at, id limit @limit
) j;

-- delay.go Fired
with free as materialized (
  select j.id from unnest($1::uuid[], $2::timestamptz[], $3::int[]) u (id, due_at, version)
  join jobs j on j.id = u.id and j.due_at = u.due_at and j.version = u.version
  for no key update of j skip locked
)
update jobs j set
  due_at = now() + $4::interval * (1 + random() / 2 * least(j.fires, 1)) * case when j.kind = any($5) then 1 << least(j.fires, 3) else 1 end,
  fires = least(j.fires + 1, 30000),
  overdue_since = case when j.fires > 0 and j.kind in (1, 2) then coalesce(j.overdue_since, j.due_at - $4::interval) else j.overdue_since end
from free
where j.id = free.id
returning j.id, j.due_at;

-- delay.go Unanswered
select u.id from unnest($1::uuid[], $2::timestamptz[]) u (id, due_at)
cross join lateral (select from jobs j where j.id = u.id and j.due_at = u.due_at limit 1) waiting;

-- delay.go Overdue
with free as materialized (
  select id, kind, overdue_since from jobs
  where overdue_since is not null and not held and shard = any($1) order by overdue_since limit $2
), held as materialized (
  select id from jobs where held and shard = any($1) order by overdue_since, id limit $2
), paused as (
  select count(*) n from held k where exists (select from holds where kind = 8) and (exists (
    select from targets t join posts p on p.id = t.post_id join holds h on h.subject = t.account_id and h.kind = 8
    where t.post_id = k.id and t.state in (0, 1) and not (exists (select from holds h where h.subject = p.id) or exists (select from restores r where r.ended_at is null and p.id <= r.last_id
and not exists (select from restore_releases x where x.post_id = p.id)))
  ) and not exists (
    select from targets t join posts p on p.id = t.post_id
    join holds o on o.kind <> 8 and (o.subject in (p.workspace_id, t.account_id) or o.platform = t.platform)
    where t.post_id = k.id and t.state in (0, 1)
  ) or exists (
    select from comments c join accounts a on a.id = c.account_id join holds h on h.subject = a.id and h.kind = 8
    where c.id = k.id and not (exists (select from holds h where h.subject = c.post_id) or exists (select from restores r where r.ended_at is null and c.id <= r.last_id
and not exists (select from restore_releases x where x.post_id = c.post_id))) and not exists (
      select from holds o where o.kind <> 8 and (o.subject in (c.workspace_id, a.id) or o.platform = a.platform))))
), counted as (
  select (select count(*) from free) free, (select count(*) from held) held, (select n from paused) paused
), unfired as (
  select min(j.first) first, min(j.late) late from unnest($1::int2[]) u (shard) cross join lateral (
    select min(due_at) first,
      coalesce(min(due_at) filter (where kind in (1, 2)), case when count(*) = $4 then max(due_at) end) late
    from (
      select due_at, kind from jobs where shard = u.shard and due_at >= $3 and due_at < least(now(), $5) and not held order by due_at, id limit $4
    ) due
  ) j
)
select coalesce(extract(epoch from least(now(), $5::timestamptz) - least(
    (select late from unfired),
    (select min(overdue_since) from free where overdue_since < now()),
    (select min(coalesce(p.retried_for, p.scheduled_for)) from (select id from free where kind = 1 limit 100) w join posts p on p.id = w.id)
  )), 0)::float8, free + held, held, paused, (select first from unfired) from counted;

-- deletion/deletion.go insert
insert into deletions (id, request, status, of_workspace, token_hash, workspaces, accounts, posts, asked_at)
values (@id, @request, 1, @whole, @token, @workspaces, @accounts, @posts, @asked);

-- deletion/deletion.go deletable
select exists (select from accounts a join workspaces w on w.id = a.workspace_id
where a.id = $1 and a.workspace_id = $2 and a.native_id not like 'deleted %' and w.deleting_at is null);

-- deletion/deletion.go deletable
select id from workspaces where (id = $1 or live_id = $1) and deleting_at is null order by live_id is not null;

-- deletion/deletion.go refuseSubscribed
select exists (select from subscriptions where workspace_id = any($1) and began_at is not null and ended_at is null);

-- deletion/deletion.go contentsOf
select w.name,
  (select count(*) from accounts a where a.workspace_id = any($1) and a.disconnected_at is null),
  (select count(*) from api_keys k where k.workspace_id = any($1) and k.revoked_at is null),
  (select count(*) from brands b where b.workspace_id = any($1)),
  (select count(*) from queues q where q.workspace_id = any($1)),
  (select count(*) from webhooks h where h.workspace_id = any($1)),
  (select count(*) from (select from media m where m.workspace_id = any($1) and m.state in (0, 1) limit $2) counted),
  (select count(*) from (
    (select from all_posts p where p.workspace_id = any($1) and p.from_api limit $2) union all
    (select from all_posts p where p.workspace_id = any($1) and not p.from_api limit $2)
    limit $2) counted),
  (select count(*) from (select from posts p where p.workspace_id = any($1) and p.status in (2, 3) limit $2) counted)
from workspaces w where w.id = $3;

-- deletion/deletion.go countAccountPosts
select count(*), count(*) filter (where status in (2, 3)) from (
(select p.status from all_posts p
where p.workspace_id = any($1) and p.from_api and p.platforms & (select 1 << a.platform from accounts a where a.id = $2) <> 0
  and exists (select from all_targets t where t.post_id = p.id and t.account_id = $2) limit $3)
union all
(select p.status from all_posts p
where p.workspace_id = any($1) and not p.from_api and p.platforms & (select 1 << a.platform from accounts a where a.id = $2) <> 0
  and exists (select from all_targets t where t.post_id = p.id and t.account_id = $2) limit $3)
limit $3) counted;

-- deletion/deletion.go Deletions
select id, status, of_workspace, workspaces, accounts, posts, posts_removed, rows_removed, asked_at,
coalesce(confirmed_at, '0001-01-01Z'::timestamptz), coalesce(stopped_at, '0001-01-01Z'::timestamptz), coalesce(ended_at, '0001-01-01Z'::timestamptz) from deletions where request = $1 order by id;

-- deletion/deletion.go Forget
delete from deletions where id in (
select id from deletions
where status = 1 and asked_at < $1 or status = 4 and asked_at < $2 limit $3);

-- deletion/persons.go EndPerson
select a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits from accounts a join workspaces w on w.id = a.workspace_id
where w.live_id is null and w.deleting_at is null and (a.person = $1 or a.platform = $2 and a.native_id = $3) and a.disconnected_at is null order by a.id;

-- deletion/persons.go DeletePerson
select a.id, a.workspace_id from accounts a join workspaces w on w.id = a.workspace_id
where w.live_id is null and w.deleting_at is null and (a.person = $1 or a.platform = $2 and a.native_id = $3) order by a.id for update of a;

-- deletion/persons.go DeletePerson
insert into deletions (id, request, status, of_workspace, workspaces, asked_at, confirmed_at, stopped_at, ended_at)
values ($1, $1, 4, false, '{}', $2, $2, $2, $2);

-- deletion/posts.go nextPosts
select p.id, p.scheduled_for, @whole::bool or exists (select from {targets} t where t.post_id = p.id and t.account_id = @account),
  @whole::bool or not exists (select from {targets} t where t.post_id = p.id and t.account_id is distinct from @account)
from (
  select p.id, p.scheduled_for from unnest(@workspaces::uuid[]) w (id) cross join lateral (
    select p.id, p.scheduled_for from {posts} p
    where p.workspace_id = w.id and p.from_api and p.scheduled_for is null and @at::timestamptz is null and p.id < coalesce(@id::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
    order by p.scheduled_for desc, p.id desc limit @limit) p
  union all
  select p.id, p.scheduled_for from unnest(@workspaces::uuid[]) w (id) cross join lateral (
    select p.id, p.scheduled_for from {posts} p
    where p.workspace_id = w.id and p.from_api
      and (p.scheduled_for, p.id) < (coalesce(@at::timestamptz, 'infinity'), case when @at::timestamptz is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else @id::uuid end)
    order by p.scheduled_for desc, p.id desc limit @limit) p
  union all
  select p.id, p.scheduled_for from unnest(@workspaces::uuid[]) w (id) cross join lateral (
    select p.id, p.scheduled_for from {posts} p
    where p.workspace_id = w.id and not p.from_api and p.scheduled_for is null and @at::timestamptz is null and p.id < coalesce(@id::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
    order by p.scheduled_for desc, p.id desc limit @limit) p
  union all
  select p.id, p.scheduled_for from unnest(@workspaces::uuid[]) w (id) cross join lateral (
    select p.id, p.scheduled_for from {posts} p
    where p.workspace_id = w.id and not p.from_api
      and (p.scheduled_for, p.id) < (coalesce(@at::timestamptz, 'infinity'), case when @at::timestamptz is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else @id::uuid end)
    order by p.scheduled_for desc, p.id desc limit @limit) p
) p order by p.scheduled_for desc nulls first, p.id desc limit @limit;

-- deletion/posts.go removePosts
select from posts where id = any($1) order by id for update;

-- deletion/posts.go removePosts
select from targets where post_id = any($1) order by post_id, n for update;

-- deletion/posts.go removePosts
delete from {comments} where post_id = any($1) returning id;

-- deletion/posts.go removePosts
select from jobs where id = any($1) order by id for update;

-- deletion/posts.go removePosts
delete from jobs where id = any($1);

-- deletion/posts.go removePosts
delete from holds where subject = any($1);

-- deletion/posts.go removePosts
update receipts set owner = '00000000-0000-0000-0000-000000000000'::uuid where profile = any($2) and owner = any($1);

-- deletion/posts.go removePosts
delete from {targets} where post_id = any($1);

-- deletion/posts.go removePosts
delete from {table} where post_id = any($1);

-- deletion/posts.go removePosts
delete from {posts} where id = any($1);

-- deletion/posts.go removeTargets
select from posts where id = any($1) order by id for update;

-- deletion/posts.go removeTargets
select from jobs where id = any($1) order by id for update;

-- deletion/posts.go removeTargets
with gone as (
  delete from {comments} where post_id = any($1) and account_id = $2 returning id
), forgotten as (
  update receipts set owner = '00000000-0000-0000-0000-000000000000'::uuid from gone where profile = any($3) and owner = gone.id
)
delete from jobs j using gone where j.id = gone.id;

-- deletion/posts.go removeTargets
update receipts set owner = '00000000-0000-0000-0000-000000000000'::uuid where profile = any($2) and owner = any($1);

-- deletion/posts.go removeTargets
delete from attempts a using {targets} t
where a.post_id = any($1) and t.post_id = a.post_id and t.n = a.n and t.account_id = $2;

-- deletion/posts.go removeTargets
delete from duplicates where post_id = any($1) and account_id = $2;

-- deletion/posts.go removeTargets
delete from {targets} where post_id = any($1) and account_id = $2;

-- deletion/posts.go removeTargets
update {posts} p set platforms = coalesce((select bit_or(1 << t.platform) from {targets} t where t.post_id = p.id), 0)
where p.id = any($1);

-- deletion/posts.go recountPast
update posts_history p set posted_n = c.posted, failed_n = c.failed, status = case
  when p.status not in (4, 5, 6) then p.status
  when c.failed = 0 then 4 when c.posted = 0 then 6 else 5 end
from (
  select post_id, count(*) filter (where state = 2) posted, count(*) filter (where state = 3) failed
  from targets_history where post_id = any($1) group by post_id
) c
where p.id = c.post_id;

-- deletion/posts.go recount
select id from posts where id = any($1) and status in (2, 3);

-- deletion/posts.go recount
update jobs set payload = replace(payload::text, $2, $3)::json where id = any($1);

-- deletion/posts.go recount
delete from jobs j using posts p where j.id = any($1) and p.id = j.id and p.status not in (2, 3);

-- deletion/posts.go recount
select p.id, p.workspace_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), p.version, p.status, p.scheduled_for, p.timezone,
p.from_api, p.content, p.created_at, p.updated_at from posts p where p.id = any($1) and p.status in (4, 5, 6, 7);

-- deletion/profiles.go ForgetProfiles
update accounts set name = '', settings = '{}', person = null, checked_at = null where id in (
select a.id from unnest($1::int2[], $2::timestamptz[]) u (platform, before) join accounts a on a.platform = u.platform
where a.disconnected_at < u.before and (a.name <> '' or a.settings::text <> '{}' or a.person is not null) limit $3);

-- deletion/rest.go found
delete from found_items where (monitor_id, item) in (
select f.monitor_id, f.item from monitors m join found_items f on f.monitor_id = m.id where m.workspace_id = any($1) limit $2);

-- deletion/rest.go snapshots
delete from snapshots where (post_id, n) in (select post_id, n from snapshots where account_id = any($1) limit $2);

-- deletion/rest.go queueSlots
delete from queue_slots where (queue_id, slot_at) in (
select s.queue_id, s.slot_at from queues q join queue_slots s on s.queue_id = q.id where q.workspace_id = any($1) limit $2);

-- deletion/rest.go answers
delete from idempotency where (lineage, key) in (select lineage, key from idempotency where lineage = any($1) limit $2);

-- deletion/rest.go answers
update idempotency i set response = convert_to(replace(convert_from(i.response, 'UTF8'), $2::text, $3::text), 'UTF8')
from (
  select i.lineage, i.key from (select k.lineage from api_keys k where k.workspace_id = any($1)
union select encode(substring(sha256(uuid_send(m.user_id) || uuid_send(w.id)) for 16), 'hex')::uuid
from workspaces w join memberships m on m.workspace_id = coalesce(w.live_id, w.id) where w.id = any($1)) k
  join idempotency i on i.lineage = k.lineage
  where position(convert_to($2::text, 'UTF8') in i.response) > 0 limit $4
) o
where i.lineage = o.lineage and i.key = o.key;

-- deletion/rest.go replies
with gone as (
  delete from comments where id in (
    select id from comments where post_id is null and account_id = any($1) order by id limit $2 for update)
  returning id
), jobs as (
  delete from jobs j using gone where j.id = gone.id
), seconds as (
  delete from duplicates d using gone where d.post_id = gone.id
), receipts as (
  update receipts r set owner = '00000000-0000-0000-0000-000000000000'::uuid from gone where r.profile = any($3) and r.owner = gone.id
)
select count(*) from gone;

-- deletion/rest.go inbox
delete from inbox where id in (select id from inbox where account_id = any($1) order by id limit $2 for update);

-- deletion/rest.go media
update media set state = $2, deleted_at = coalesce(deleted_at, now() - interval '1 hour'), alt_text = '', file_name = '' where id in (
select id from media where workspace_id = any($1) and state <> $2 limit $3);

-- deletion/rest.go media
select count(*) from (select from media where workspace_id = any($1) limit 1) m;

-- deletion/rest.go rest
delete from app_turns where app like any($1);

-- deletion/rest.go rest
delete from jobs j using collections c where c.account_id = any($1) and j.id = c.id;

-- deletion/rest.go rest
delete from collections where account_id = any($1);

-- deletion/rest.go rest
delete from counters where subject = any($1);

-- deletion/rest.go rest
update receipts r set owner = '00000000-0000-0000-0000-000000000000'::uuid
where r.profile = any($1) and r.seen_at >= $2 and r.owner <> '00000000-0000-0000-0000-000000000000'::uuid
  and not exists (select from posts p where p.id = r.owner) and not exists (select from posts_history p where p.id = r.owner)
  and not exists (select from comments c where c.id = r.owner) and not exists (select from comments_history c where c.id = r.owner);

-- deletion/rest.go rest
delete from receipts where profile = any($1) and (owner = '00000000-0000-0000-0000-000000000000'::uuid or seen_at < $2);

-- deletion/rest.go rest
delete from request_windows where subject = any($1);

-- deletion/rest.go rest
delete from redeliveries where webhook_id = any($1);

-- deletion/rest.go rest
delete from mails where about = any($1);

-- deletion/rest.go rest
delete from {table} where workspace_id = any($1);

-- deletion/rest.go audit
delete from audit where (id, at) in (select id, at from audit where workspace_id = any($1) limit $2);

-- deletion/scan.go deleteStretch
with given as (select @workspaces::uuid[] workspaces, @names::text[] names, @none::text none), gone as (
  delete from {table} where ctid >= '({begin},0)'::tid and ctid < '({end},0)'::tid and {matches} returning 1
)
select count(*) from gone, given;

-- deletion/scan.go updateStretch
with given as (select @workspaces::uuid[] workspaces, @names::text[] names, @none::text none), gone as (
  update {table} set {instead} where ctid >= '({begin},0)'::tid and ctid < '({end},0)'::tid and {matches} returning 1
)
select count(*) from gone, given;

-- deletion/scan.go deleteStretchWithJobs
with given as (select @workspaces::uuid[] workspaces, @names::text[] names, @none::text none), gone as (
  delete from {table} where ctid >= '({begin},0)'::tid and ctid < '({end},0)'::tid and {matches} returning id
), jobs as (
  delete from jobs j using gone where j.id = gone.id
)
select count(*) from gone, given;

-- deletion/scan.go relations
select c.oid::regclass::text, pg_relation_size(c.oid) / current_setting('block_size')::int from pg_class c
where c.relkind = 'r' and (c.oid = to_regclass($1) or exists (select from pg_inherits i where i.inhrelid = c.oid and i.inhparent = to_regclass($1)))
order by 1;

-- deletion/scan.go outbox
select id from outbox o
where id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'::uuid) and exists (select from unnest($2::text[]) u (name) where position(convert_to(u.name, 'UTF8') in o.payload) > 0)
order by id limit $3;

-- deletion/scan.go outbox
select id, payload from outbox where id = any($1) order by id for update;

-- deletion/scan.go outbox
insert into outbox (id, owed, sent_at, payload, position) select $2, owed, sent_at, $3, position from outbox where id = $1;

-- deletion/scan.go outbox
delete from outbox where id = $1;

-- deletion/scan.go outbox
delete from dead_letters where stage = any($1) and subject = $2;

-- deletion/stop.go Stop
select id, status, of_workspace, workspaces, accounts, posts, posts_removed, rows_removed, asked_at,
coalesce(confirmed_at, '0001-01-01Z'::timestamptz), coalesce(stopped_at, '0001-01-01Z'::timestamptz), coalesce(ended_at, '0001-01-01Z'::timestamptz) from deletions
    where id = $1 and token_hash = $2 and (status <> 1 or asked_at > $3) for update;

-- deletion/stop.go stop
select workspaces from deletions where id = $1;

-- deletion/stop.go stop
select from workspaces where id = any($1) order by id for update;

-- deletion/stop.go stop
update deletions set status = 2, confirmed_at = $2, worked_at = $2 where id = $1;

-- deletion/stop.go queueStopWorkspaces
update deletions d set
  workspaces = array(select w.id from workspaces w where w.id = any($2) or w.live_id = any($2) order by w.live_id is not null),
  accounts = array(select a.id from accounts a join workspaces w on w.id = a.workspace_id where w.id = any($2) or w.live_id = any($2))
where d.id = $1;

-- deletion/stop.go queueStopWorkspaces
update workspaces set deleting_at = now(), name = 'deleted ' || id, email = null, connect_redirects = '{}'
where id = any((select workspaces from deletions where id = $1)::uuid[]);

-- deletion/stop.go queueStopWorkspaces
update deletions set
  keys = array(select k.id from api_keys k where k.workspace_id = any(workspaces)),
  lineages = array(select k.lineage from api_keys k where k.workspace_id = any(workspaces)
union select encode(substring(sha256(uuid_send(m.user_id) || uuid_send(w.id)) for 16), 'hex')::uuid
from workspaces w join memberships m on m.workspace_id = coalesce(w.live_id, w.id) where w.id = any(workspaces)),
  webhooks = array(select h.id from webhooks h where h.workspace_id = any(workspaces))
where id = $1;

-- deletion/stop.go queueStopWorkspaces
update api_keys set revoked_at = coalesce(revoked_at, now()) where workspace_id = any((select workspaces from deletions where id = $1)::uuid[]);

-- deletion/stop.go queueStopWorkspaces
delete from {table} where workspace_id = any((select workspaces from deletions where id = $1)::uuid[]);

-- deletion/stop.go queueStopWorkspaces
delete from webhooks where workspace_id = any((select workspaces from deletions where id = $1)::uuid[]);

-- deletion/stop.go queueStopWorkspaces
delete from consents where workspace_id = any((select workspaces from deletions where id = $1)::uuid[]);

-- deletion/stop.go hold
with pauses as (delete from holds where subject = any((select workspaces from deletions where id = $1)::uuid[]) and kind <> $2)
insert into holds (subject, kind, reason) select unnest(workspaces), $2, '' from deletions where id = $1
on conflict (subject, kind) do nothing;

-- deletion/stop.go holdAccounts
with pauses as (delete from holds where subject = any((select accounts from deletions where id = $1)::uuid[]) and kind <> $2)
insert into holds (subject, kind, reason) select unnest(accounts), $2, '' from deletions where id = $1
on conflict (subject, kind) do nothing;

-- deletion/stop.go queueStopAccounts
update deletions set
  profiles = array(select distinct substr(sha256(convert_to(a.platform || ' ' || case when w.live_id is null then a.server else w.id::text end || ' '
|| coalesce(nullif(a.native_id, ''), a.id::text), 'UTF8')), 1, 16) from accounts a join workspaces w on w.id = a.workspace_id where a.id = any(accounts)),
  unshared = array(
    select distinct substr(sha256(convert_to(a.platform || ' ' || case when w.live_id is null then a.server else w.id::text end || ' '
|| coalesce(nullif(a.native_id, ''), a.id::text), 'UTF8')), 1, 16) from accounts a join workspaces w on w.id = a.workspace_id
    where a.id = any(accounts) and (w.live_id is not null or not exists (
      select from accounts o join workspaces ow on ow.id = o.workspace_id
      where o.platform = a.platform and o.native_id = a.native_id and o.server = a.server
        and o.disconnected_at is null and ow.live_id is null and o.id <> all(accounts))))
where id = $1;

-- deletion/stop.go queueStopAccounts
update accounts set disconnected_at = coalesce(disconnected_at, now()), sealed = '', revision = revision + 1,
  native_id = 'deleted ' || id, name = '', server = '', settings = '{}', brand_id = null, reconnect = null, person = null,
  needs_reconnect = false, ended = 0, end_message = null, expires_at = null, checked_at = null,
  renew_at = null, renew_asked_at = null, renew_step = 0, renew_attempts = 0
where id = any((select accounts from deletions where id = $1)::uuid[]);

-- deletion/stop.go queueStopAccounts
update deletions set profiles = profiles || erased.all_of, unshared = unshared || erased.all_of
from (
  select array_agg(distinct substr(sha256(convert_to(a.platform || ' ' || case when w.live_id is null then a.server else w.id::text end || ' '
|| coalesce(nullif(a.native_id, ''), a.id::text), 'UTF8')), 1, 16)) as all_of from accounts a join workspaces w on w.id = a.workspace_id
  where a.id = any((select accounts from deletions where id = $1)::uuid[])
) erased
where id = $1;

-- deletion/stop.go queueStopAccounts
delete from jobs where id = any((select accounts from deletions where id = $1)::uuid[]);

-- deletion/stop.go queueStopAccounts
with resting as (update collections set due_at = null where account_id = any((select accounts from deletions where id = $1)::uuid[]) returning id)
delete from jobs j using resting where j.id = resting.id;

-- deletion/stop.go queueStopAccounts
delete from consents where account_id = any((select accounts from deletions where id = $1)::uuid[]);

-- deletion/stop.go trySettle
update deletions set status = 3, stopped_at = $2 where id = $1 and status = 2;

-- deletion/stop.go passClaims
select distinct virtualtransaction from pg_locks where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
and database = (select oid from pg_database where datname = current_database())
and relation = any(array['targets'::regclass, 'comments'::regclass, 'deliveries'::regclass, 'accounts'::regclass]);

-- deletion/stop.go passClaims
select count(*) from pg_locks where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
and database = (select oid from pg_database where datname = current_database())
and relation = any(array['targets'::regclass, 'comments'::regclass, 'deliveries'::regclass, 'accounts'::regclass]) and virtualtransaction = any($1);

-- deletion/stop.go openClaims
with d as materialized (select workspaces, accounts, webhooks, of_workspace from deletions where id = @id)
select (
  select count(*) from d cross join lateral (
    select t.account_id, t.step, t.lease_until from posts p join targets t on t.post_id = p.id
    where p.workspace_id = any(d.workspaces) and p.scheduled_for < now() + interval '1 day' -- what is published is due
      and p.status = 3 and t.state = 1
  ) t
  where (d.of_workspace or t.account_id = any(d.accounts))
    and t.lease_until > now() + case when t.step = 0 then interval '0' else @tail::interval end
) + (
  select count(*) from d cross join lateral (
    select c.account_id, c.lease_until from posts p join comments c on c.post_id = p.id
    where p.workspace_id = any(d.workspaces) and p.scheduled_for < now() + interval '1 day' and c.state = 1
    union all
    select c.account_id, c.lease_until from comments c -- replies
    where c.post_id is null and c.account_id = any(d.accounts) and c.state = 1
  ) c
  where (d.of_workspace or c.account_id = any(d.accounts)) and c.lease_until > now() + @tail::interval
) + (
  select count(*) from deliveries y, d
  where y.webhook_id = any(d.webhooks) and y.id > @since and y.state = 1 and y.lease_until > now()
) + (
  select count(*) from accounts a, d where a.id = any(d.accounts) and a.renew_lease > now() + @tail::interval
);

-- deletion/work.go next
with chosen as (
  select id from deletions where status in (2, 3) and worked_at <= now() order by worked_at limit 1 for update
)
update deletions d set worked_at = now(), pass_began_at = coalesce(d.pass_began_at, now()) from chosen where d.id = chosen.id
returning d.id, d.of_workspace, d.workspaces, d.accounts, d.webhooks, d.lineages, d.keys, d.profiles, d.unshared, d.status, coalesce(d.stopped_at, now()),
  d.step, d.pass_began_at, d.pass_rows;

-- deletion/work.go chunk
update deletions set step = $2, pass_rows = pass_rows + $3, posts_removed = posts_removed + $4, rows_removed = rows_removed + $3
where id = $1;

-- deletion/work.go endPass
update deletions set step = 0, pass_rows = 0, pass_began_at = null, worked_at = now() + $2::interval where id = $1;

-- deletion/work.go end
delete from restore_looks l using accounts a where a.id = l.account_id and a.workspace_id = any($1);

-- deletion/work.go end
delete from {table} where workspace_id = any($1);

-- deletion/work.go end
delete from holds where subject = any($1);

-- deletion/work.go end
update sweeps set workspace_id = '00000000-0000-0000-0000-000000000000'::uuid, due_at = '-infinity' where workspace_id = any($1);

-- deletion/work.go end
delete from workspaces where id = any($1) and live_id is not null;

-- deletion/work.go end
delete from workspaces where id = any($1);

-- deletion/work.go end
delete from deletions where status = 1 and workspaces && $1;

-- deletion/work.go end
update deletions set status = 4, ended_at = now(), token_hash = null, workspaces = '{}', accounts = '{}', webhooks = '{}',
lineages = '{}', keys = '{}', profiles = '{}', unshared = '{}' where id <> $2 and status <> 4 and workspaces && $1;

-- deletion/work.go end
delete from accounts where id = any($1);

-- deletion/work.go end
delete from restore_looks where account_id = any($1);

-- deletion/work.go end
delete from holds where subject = any($1);

-- deletion/work.go end
delete from deletions where status = 1 and accounts && $1;

-- deletion/work.go end
update deletions set status = 4, ended_at = now(), token_hash = null, workspaces = '{}', accounts = '{}', webhooks = '{}',
lineages = '{}', keys = '{}', profiles = '{}', unshared = '{}' where id = $1;

-- engagement/inbox.go putItems
with a as materialized (select id, workspace_id, disconnected_at from accounts where id = @account) -- by its id, whatever the statistics
insert into inbox as i (id, workspace_id, account_id, mention, native_id, parent_id, post_native_id, post_id, state, digest, deleted, written_at)
select distinct on (u.id) u.id, a.workspace_id, a.id, u.mention, u.native, u.parent, u.post, u.post_id, u.state, u.digest, u.deleted, u.written
from unnest(@ids::uuid[], @mentions::bool[], @natives::text[], @parents::text[], @posts::text[], @ofposts::uuid[], @states::text[], @digests::bytea[],
  @deleted::bool[], @written::timestamptz[]) u (id, mention, native, parent, post, post_id, state, digest, deleted, written)
join a on a.workspace_id = @workspace and a.disconnected_at is null
order by u.id
on conflict (id) do update set digest = excluded.digest, deleted = excluded.deleted, state = excluded.state, revision = i.revision + 1
  where i.digest <> excluded.digest
returning i.id, i.revision, i.read_at, i.written_at;

-- engagement/inbox.go Missing
with unseen as materialized (
  select i.id from unnest(@posts::uuid[], @nested::bool[]) u (post, nested) cross join lateral (
    select * from inbox where account_id = @account and post_id = u.post and not mention offset 0 -- by post, whatever the statistics
  ) i
  where not i.deleted and (u.nested or i.parent_id = '') and i.native_id not in (select unnest(@seen::text[]))
), missing as (
  select i.id from inbox i where i.id = any(array(select id from unseen)) and not i.deleted
  order by i.id for update of i skip locked
)
update inbox i set deleted = true, digest = @digest, revision = i.revision + 1
from missing where i.id = missing.id
returning i.native_id, i.parent_id, i.post_native_id, i.post_id, i.revision, i.read_at, i.written_at;

-- engagement/inbox.go Item
select i.id, i.account_id, a.platform, i.mention, i.native_id, i.parent_id, coalesce(i.post_id, '00000000-0000-0000-0000-000000000000'::uuid), i.written_at,
  i.deleted, coalesce(i.read_at, '0001-01-01Z'::timestamptz)
from inbox i join accounts a on a.id = i.account_id
where i.id = $1 and i.workspace_id = $2;

-- engagement/inbox.go Inbox
select i.id, i.account_id, a.platform, i.mention, i.native_id, i.parent_id, coalesce(i.post_id, '00000000-0000-0000-0000-000000000000'::uuid), i.written_at,
  i.deleted, coalesce(i.read_at, '0001-01-01Z'::timestamptz)
from accounts a cross join lateral (
  select * from inbox i
  where i.account_id = a.id and i.mention = @mentions and (i.written_at, i.id) < (@at, @id) {condition}
  order by i.written_at desc, i.id desc limit @limit
) i
where a.workspace_id = @workspace and (@account::uuid is null or a.id = @account) and a.disconnected_at is null
order by i.written_at desc, i.id desc limit @limit;

-- engagement/inbox.go Unread
select a.id, n.comments, n.mentions from accounts a cross join lateral (
  select (select count(*) from (
      select from inbox i where i.account_id = a.id and i.read_at is null and not i.deleted and not i.mention limit $2
    ) c) comments, (select count(*) from (
      select from inbox i where i.account_id = a.id and i.read_at is null and not i.deleted and i.mention limit $2
    ) m) mentions
  offset 0
) n
where a.workspace_id = $1 and a.disconnected_at is null and n.comments + n.mentions > 0 order by a.id;

-- engagement/inbox.go Mark
select from inbox where id = any($1) and workspace_id = $2 order by id for update;

-- engagement/inbox.go Mark
update inbox set read_at = case when $2 then now() end where id = any($1) and (read_at is not null) <> $2;

-- engagement/replies.go insertReply
select case when i.mention then @mention else @comment end, i.native_id, i.parent_id, i.post_native_id, i.state,
  i.account_id, a.platform, i.deleted, a.disconnected_at is not null
from inbox i join accounts a on a.id = i.account_id
where i.id = @id and i.workspace_id = @workspace for share of i;

-- engagement/replies.go insertReply
insert into comments (id, n, position, workspace_id, account_id, entry, text, reply_to)
values (@id, 0, 0, @workspace, @account, 0, @text, @to::text::json);

-- engagement/replies.go Reply
select c.id, c.workspace_id, c.account_id, a.platform, c.text, c.state, c.native_id, c.url, c.posted_at, c.next_at, c.error, c.reply_to
from comments c join accounts a on a.id = c.account_id
where c.id = $1 and c.workspace_id = $2 and c.post_id is null;

-- faults.go isUnreadable
select exists (select from outbox where id = $1 and owed & $2::int2 <> 0);

-- faults.go noteFault
insert into dead_letters as l (id, stage, subject, n, unreadable, topic, partition, key, value, reason, tries, failed_at)
values (@id, @stage, @subject, @n, @unreadable, @topic, @partition, @key, @value, @reason, least(@tries::int, 30000), now())
on conflict (stage, subject, n) do update set
  tries = least(excluded.tries + case when l.dead_at is null and l.failed_at < now() - @memory::interval then 0 else l.tries end, 30000),
  key = excluded.key, value = excluded.value, reason = excluded.reason, failed_at = now(),
  replay_at = null -- it was replayed, and failed again before that was noted
returning tries;

-- faults.go leaveAlone
update targets t set state = 0, lease_until = null, step = case when t.state = 1 and t.step = 1
  and (@called or @claim = 0) then 2 else t.step end, next_at = now() + @wait::interval
where post_id = @post and n = @n and state = 1 and claim = @claim;

-- faults.go leaveAlone
update comments c set state = 0, lease_until = null, step = case when c.state = 1 and c.step = 1
  and (@called or @claim = 0) then 2 else c.step end, next_at = now() + @wait::interval
where id = @comment and state = 1 and claim = @claim;

-- faults.go leaveAlone
update deliveries set state = 0, lease_until = null, next_at = now() + $3::interval where id = $1 and state = 1 and claim = $2;

-- faults.go leaveAlone
update accounts set renew_lease = null, renew_at = now() + $3::interval where id = $1 and renew_claim = $2;

-- faults.go leaveAlone
update collections set lease_until = null, due_at = now() + $3::interval where id = $1 and claim = $2 and due_at is not null;

-- faults.go leaveAlone
update jobs set due_at = now() + $2::interval where id = $1;

-- faults.go setAside
update dead_letters set dead_at = coalesce(dead_at, now()) where stage = $1 and subject = $2 and n = $3;

-- faults.go setAside
update deliveries set state = 3, lease_until = null, error = 'crier failed on this delivery'
where id = $1 and (state = 0 or (state = 1 and (claim = $2 or lease_until < now() or ($2 = 0 and node = $3))));

-- faults.go setAside
delete from jobs where id = $1;

-- faults.go setAside
update accounts set renew_lease = null, renew_at = now() + $3::interval
where id = $1 and (renew_claim = $2 or ($2 = 0 and (renew_lease is null or renew_lease < now() or renew_node = $4)));

-- faults.go setAside
update jobs set due_at = now() + $2::interval where id = $1;

-- faults.go setAside
update collections set lease_until = null, due_at = now() + $3::interval
where id = $1 and due_at is not null and (claim = $2 or ($2 = 0 and (lease_until is null or lease_until < now() or node = $4)));

-- faults.go setAside
update jobs set due_at = now() + $2::interval where id = $1;

-- faults.go setAside
delete from jobs where id = $1;

-- faults.go setTargetAside
update targets t set state = 0, lease_until = null, step = case when t.state = 1 and t.step = 1
  and (@called or @claim = 0) then 2 else t.step end,
  next_at = greatest(coalesce(p.retried_for, p.scheduled_for) + @late::interval, now() + '1 hour'::interval)
from posts p where t.post_id = @post and t.n = @n and p.id = t.post_id and ((t.state = 1 and t.claim = @claim) or (@claim = 0 and (t.state = 0
or (t.state = 1 and (t.lease_until < now() or t.node = @node)))));

-- faults.go failDead
with late as (
  select t.post_id, t.n, p.workspace_id, coalesce(p.retried_for, p.scheduled_for) due,
    t.step = 2 or t.looked = -1 or t.unsettled <> 0 unknown, t.receipts::text <> '[]' begun, t.charged_on
  from targets t join posts p on p.id = t.post_id
  where t.post_id = @post and t.n = @n and t.state = 0 and coalesce(p.retried_for, p.scheduled_for) + @late::interval < now()
)
update targets t set state = 3, error = case when l.unknown then @unknown::text::json else @missed::text::json end,
  charged_on = case when l.unknown or l.begun then t.charged_on end
from late l where t.post_id = l.post_id and t.n = l.n
returning l.workspace_id, t.account_id, t.platform, t.entry, l.due, l.unknown, case when t.charged_on is null then l.charged_on end;

-- faults.go setCommentAside
update comments c set state = 0, lease_until = null, step = case when c.state = 1 and c.step = 1
  and (@called or @claim = 0) then 2 else c.step end,
  next_at = greatest(uuid_extract_timestamp(c.id) + @late::interval, now() + '1 hour'::interval)
where c.id = @comment and ((c.state = 1 and c.claim = @claim) or (@claim = 0 and (c.state = 0
or (c.state = 1 and (c.lease_until < now() or c.node = @node)))));

-- faults.go setCommentAside
with ended as (
  update comments set state = 3, error = case when step = 2 or looked = -1 then $3::text::json else $4::text::json end
  where id = $1 and state = 0 and uuid_extract_timestamp(id) + $2::interval < now()
  returning post_id, n, position, entry, error
)
insert into attempts (post_id, at, kind, n, comment, entry, code, message)
select post_id, $5, 13, n, position, entry, error ->> 'code', error ->> 'message' from ended where post_id is not null;

-- faults.go setCommentAside
update jobs j set due_at = c.next_at from comments c where j.id = $1 and c.id = j.id and c.state = 0;

-- faults.go setCommentAside
delete from jobs j where j.id = $1 and not exists (select from comments c where c.id = j.id and c.state in (0, 1));

-- feeds/monitors.go Monitors
select m.id, m.workspace_id, m.name, m.include, m.exclude, m.language, m.platforms, m.paused, m.created_at, m.updated_at,
s.read_until, coalesce(s.problem, '') from monitors m left join searches s on s.monitor_id = m.id where m.workspace_id = $1 and m.id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000'::uuid) order by m.id limit $3;

-- feeds/monitors.go Monitor
select m.id, m.workspace_id, m.name, m.include, m.exclude, m.language, m.platforms, m.paused, m.created_at, m.updated_at,
s.read_until, coalesce(s.problem, '') from monitors m left join searches s on s.monitor_id = m.id where m.id = $1 and m.workspace_id = $2;

-- feeds/monitors.go CreateMonitor
insert into monitors (id, workspace_id, sandbox, name, include, exclude, language, platforms, paused, created_at, updated_at)
values (@id, @workspace, @sandbox, @name, @include, @exclude, @language, @platforms, @paused, @created, @created);

-- feeds/monitors.go lockWorkspace
select live_id is not null from workspaces where id = $1 and deleting_at is null for no key update;

-- feeds/monitors.go changed
with raised as (update monitor_changes set revision = revision + 1 where sandbox = $2)
select count(*), coalesce(sum(octet_length(array_to_string(include || exclude, ''))), 0) from monitors where workspace_id = $1;

-- feeds/monitors.go UpdateMonitor
select m.id, m.workspace_id, m.name, m.include, m.exclude, m.language, m.platforms, m.paused, m.created_at, m.updated_at,
s.read_until, coalesce(s.problem, '') from monitors m left join searches s on s.monitor_id = m.id where m.id = $1 and m.workspace_id = $2 for no key update of m;

-- feeds/monitors.go UpdateMonitor
update monitors set name = @name, include = @include, exclude = @exclude, language = @language, platforms = @platforms,
  paused = @paused, updated_at = @updated
where id = @id;

-- feeds/monitors.go DeleteMonitor
delete from monitors where id = $1 and workspace_id = $2 returning name;

-- feeds/searches.go changeSearch
delete from searches where monitor_id = $1;

-- feeds/searches.go changeSearch
update searches s set problem = '',
  due_at = least(due_at, @now::timestamptz + (select count(*) from searches b where b.workspace_id = s.workspace_id) * @pace::interval)
where monitor_id = @monitor;

-- feeds/searches.go beginSearch
insert into searches (monitor_id, workspace_id, sandbox, due_at, read_until, began_at)
select @monitor, @workspace, @sandbox, @now::timestamptz + (1 + count(*)) * @pace::interval, @now, @now
from searches where workspace_id = @workspace
on conflict (monitor_id) do update set
  read_until = @now, began_at = @now, due_at = least(searches.due_at, excluded.due_at), keyword = 0, page = 0, place = '', problem = '';

-- feeds/searches.go DueSearches
select m.id, m.workspace_id, m.name, m.include, m.exclude, m.language, m.platforms, m.paused, m.created_at, m.updated_at,
s.read_until, coalesce(s.problem, ''), s.read_until, s.began_at, s.keyword, s.page, s.place, s.due_at,
    (select count(*) from searches b where b.workspace_id = s.workspace_id)
  from searches s join monitors m on m.id = s.monitor_id join workspaces w on w.id = m.workspace_id
  where s.sandbox = $1 and s.due_at <= $2 and w.deleting_at is null
  order by s.due_at limit $3;

-- feeds/searches.go SearchAccounts
select a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits from accounts a join workspaces w on w.id = a.workspace_id
  where a.workspace_id = $1 and a.platform = $2 and a.disconnected_at is null and a.ended = $3 and not a.needs_reconnect
  order by a.id limit $4;

-- feeds/searches.go AdvanceSearch
update searches s set read_until = @until, began_at = @began, keyword = @keyword, page = @page, place = @place, due_at = @next,
  problem = @problem
from monitors m where s.monitor_id = @monitor and m.id = s.monitor_id and m.updated_at = @version;

-- feeds/streams.go Listening
select m.id, m.workspace_id, m.name, m.include, m.exclude, m.language, m.platforms, m.paused, m.created_at, m.updated_at,
s.read_until, coalesce(s.problem, '') from monitors m left join searches s on s.monitor_id = m.id join workspaces w on w.id = m.workspace_id
    where m.sandbox = @sandbox and not m.paused and @platform::smallint = any(m.platforms) and w.deleting_at is null and m.id > coalesce(@after::uuid, '00000000-0000-0000-0000-000000000000'::uuid)
    order by m.id limit @limit;

-- feeds/streams.go LeftOut
select coalesce(bool_or(o.sandbox), false), coalesce(sum(octet_length(array_to_string(o.include || o.exclude, ''))), 0)
from monitors m join monitors o on o.workspace_id = m.workspace_id and o.id <= m.id
where m.id = $1 and m.workspace_id = $2 and not m.paused and $3::smallint = any(m.platforms) and not o.paused and $3 = any(o.platforms);

-- feeds/streams.go listeningWorkspaces
select count(distinct m.workspace_id) from monitors m join workspaces w on w.id = m.workspace_id where m.sandbox = @sandbox and not m.paused and @platform::smallint = any(m.platforms) and w.deleting_at is null;

-- feeds/streams.go keywordShare
with used as (
  select sum(octet_length(array_to_string(m.include || m.exclude, ''))) bytes
  from monitors m join workspaces w on w.id = m.workspace_id where m.sandbox = @sandbox and not m.paused and @platform::smallint = any(m.platforms) and w.deleting_at is null group by m.workspace_id
), ordered as ( -- by bytes: with all that have fewer, and how many have more
  select bytes, sum(bytes) over fewer total, count(*) over () - row_number() over fewer larger
  from used window fewer as (order by bytes rows unbounded preceding)
)
select coalesce(max((@most - total + bytes) / (larger + 1)) filter (where total + larger * bytes > @most), @most)::bigint from ordered;

-- feeds/streams.go Revision
select revision from monitor_changes where sandbox = $1;

-- feeds/streams.go ClaimStream
insert into streams (name) values ($1) on conflict do nothing;

-- feeds/streams.go ClaimStream
update streams set claim = claim + 1, node = $2, held_until = now() + $3::interval
where name = $1 and (node is null or node = $2 or held_until < now())
returning claim, host, read_until;

-- feeds/streams.go ReleaseStream
update streams set node = null where name = $1 and claim = $2;

-- feeds/streams.go advance
update streams set host = @host, read_until = @until, held_until = now() + @lease::interval
where name = @stream and claim = @claim;

-- feeds/streams.go keep
with there as (
  select m.id from monitors m join workspaces w on w.id = m.workspace_id
  where m.id = any($1) and w.deleting_at is null order by m.id for key share of m
), kept as (
  insert into found_items (monitor_id, item, forget_at)
  select f.monitor, f.item, now() + f.known * interval '1 second'
  from unnest($1::uuid[], $2::uuid[], $3::bigint[]) f (monitor, item, known) join there on there.id = f.monitor
  on conflict do nothing
  returning monitor_id, item
)
select monitor_id, item from kept;

-- finish.go queueEnded
delete from jobs j using posts p
where j.id = any($1) and p.id = j.id and p.left_n = 0;

-- finish.go selectDonePosts
select p.id, p.workspace_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), p.version, p.status, p.scheduled_for, p.timezone,
p.from_api, p.content, p.created_at, p.updated_at from posts p where p.id = any($1) and p.left_n = 0;

-- finish.go selectDoneTargets
select t.post_id, t.n, t.account_id, t.platform, t.content, t.state, t.receipts, t.error,
t.next_at, t.attempts, t.posted_at, t.charged_on, t.entry, t.unsettled from posts p join targets t on t.post_id = p.id
  where p.id = any($1) and p.left_n = 0 order by t.post_id, t.n;

-- holds.go parkJobsOfPosts
update jobs j set held = true, due_at = w.due_at, overdue_since = coalesce(j.overdue_since, w.base)
from (
  select p.id, coalesce(p.retried_for, p.scheduled_for) base, bool_or(review or paused) held, min(case
    when review then now() + interval '1 day'
    when paused then greatest(coalesce(p.retried_for, p.scheduled_for) + @late::interval, now()) + interval '1 second'
    when t.state = 1 then t.lease_until + @settle::interval
    else greatest(coalesce(t.next_at, now()), now()) + case when t.claim = 0 then @visibility::interval else interval '0' end end) due_at
  from posts p join targets t on t.post_id = p.id
  cross join lateral (select (exists (select from holds h where h.subject = p.id) or exists (select from restores r where r.ended_at is null and p.id <= r.last_id
  and not exists (select from restore_releases x where x.post_id = p.id))) review, (exists (select from holds h where h.subject = any (array[p.workspace_id, t.account_id]))
  or t.platform = any (array(select h.platform from holds h where h.platform is not null))) paused) held
  where p.id = any(@posts) and p.status in (2, 3) and t.state in (0, 1) group by p.id
) w
where j.id = w.id and w.held
returning j.id;

-- holds.go parkComments
select from comments where id = any($1) order by id for no key update;

-- holds.go parkJobsOfComments
update jobs j set held = true, due_at = w.due_at, overdue_since = coalesce(j.overdue_since, w.base)
from (
  select c.id, base, case
    when review then now() + interval '1 day'
    else greatest(base + @late::interval, now()) + interval '1 second' end due_at
  from comments c join accounts a on a.id = c.account_id
  cross join lateral (select uuid_extract_timestamp(c.id) + @delay::interval base,
    (exists (select from holds h where h.subject = c.post_id) or exists (select from restores r where r.ended_at is null and c.id <= r.last_id
  and not exists (select from restore_releases x where x.post_id = c.post_id))) review, (exists (select from holds h where h.subject = any (array[c.workspace_id, c.account_id]))
  or a.platform = any (array(select h.platform from holds h where h.platform is not null))) paused) held
  where c.id = any(@ids) and (c.post_id is not null or not review) and c.state in (0, 1) and (review or paused)
) w
where j.id = w.id
returning j.id;

-- holds.go tellPauses
insert into attempts (post_id, at, kind, n, comment, entry, code, message)
select w.post_id, clock_timestamp(), 6, w.n, w.comment, w.entry, pause.code, pause.message
from (
  select t.post_id, t.n, -1 as comment, t.entry, p.workspace_id, t.account_id, t.platform, coalesce(p.retried_for, p.scheduled_for) as due_at
  from posts p join targets t on t.post_id = p.id
  where p.id = any(@ids) and p.status in (2, 3) and (t.state = 0 or t.state = 1 and t.lease_until < now())
  union all
  select c.post_id, c.n, c.position, c.entry, c.workspace_id, c.account_id, a.platform, uuid_extract_timestamp(c.id)
  from comments c join accounts a on a.id = c.account_id
  where c.id = any(@ids) and c.post_id is not null and (c.state = 0 or c.state = 1 and c.lease_until < now())
) w
cross join lateral (
  select h.created_at, case h.kind
      when 1 then 'workspace_paused' when 3 then 'platform_paused' else 'account_paused' end as code,
    concat_ws(': ', case h.kind
      when 1 then 'the operator has paused the workspace'
      when 3 then 'the operator has paused the platform'
      when 2 then 'the operator has paused the account'
      else 'a member has paused the account' end, nullif(h.reason, '')) as message
  from (
    select * from holds of_subject where subject = any(array[w.workspace_id, w.account_id])
    union all
    select * from holds of_platform where platform = w.platform
  ) h
  where h.kind in (1, 2, 3, 8) and (select count(*) from attempts a where a.post_id = w.post_id) < @max
) pause
where w.due_at < now() + interval '1 second' and not exists (
  select from attempts a
  where a.post_id = w.post_id and a.n = w.n and a.comment = w.comment and a.kind = 6 and a.message = pause.message
    and a.at >= greatest(pause.created_at, w.due_at - interval '1 second'));

-- holds.go endReplies
with ended as (
  update comments c set state = 3, claim = claim + 1, lease_until = null, error = @error::text::json
  where c.id = any(@ids) and c.post_id is null and c.state in (0, 1) and exists (select from restores r where r.ended_at is null and c.id <= r.last_id
  and not exists (select from restore_releases x where x.post_id = c.post_id))
  returning c.id
)
delete from jobs j using ended where j.id = ended.id returning j.id;

-- holds.go park
select exists (select from holds);

-- holds.go park
select from jobs where id = any($1) order by id for update;

-- holds.go Unheld
select exists (select from restores where ended_at is null);

-- internal/audit/audit.go insert
insert into audit (id, at, workspace_id, actor, actor_id, actor_name, address, action, subject, subject_id, subject_name, changes)
values (@id, @at, @workspace, @actor, @actor_id, @actor_name, @address, @action, @subject, @subject_id, @subject_name, @changes::text::jsonb);

-- internal/db/connection_limit.go ConnectionLimit
select case when u.rolsuper then current_setting('max_connections')::int else least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0),
    nullif(u.rolconnlimit, -1), nullif(d.datconnlimit, -1)) end allowed,
  (select count(*) from pg_stat_activity where backend_type = 'client backend') taken
from pg_roles u, pg_database d where u.rolname = current_user and d.datname = current_database();

-- internal/db/db.go WithoutLimits
set statement_timeout = 0; set transaction_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;

-- internal/db/plans.go QueueGenericPlans
select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_hashjoin', 'off', true), set_config('enable_material', 'off', true);

-- internal/db/plans.go QueueAsync
select set_config('synchronous_commit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_hashjoin', 'off', true), set_config('enable_material', 'off', true);

-- internal/db/plans.go beginAsync
begin; select set_config('synchronous_commit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_hashjoin', 'off', true), set_config('enable_material', 'off', true);

-- internal/db/transactions.go Alone
select pg_try_advisory_xact_lock(hashtext('crier ' || $1));

-- internal/db/transactions.go Alone
set local enable_seqscan = on;

-- internal/db/transactions.go AloneOutside
select pg_try_advisory_lock(hashtext('crier ' || $1));

-- internal/db/transactions.go AloneOutside
select pg_advisory_unlock(hashtext('crier ' || $1)), set_config('idle_session_timeout', '0', false);

-- internal/db/transactions.go AloneOutside
set idle_session_timeout = '60s';

-- internal/slots/slots.go LockQueue
select q.id, q.workspace_id, coalesce(q.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), q.name, q.timezone, q.slots, q.is_default, q.created_at, q.updated_at from queues q
where q.workspace_id = $1 and case when $2::uuid is not null then q.id = $2
  else q.is_default and (q.brand_id is null or q.brand_id = $3) end
order by q.brand_id nulls last limit 1 for no key update;

-- internal/slots/slots.go Taken
select s.slot_at from queue_slots s where s.queue_id = $1 and s.slot_at >= now() and s.post_id is distinct from $2
  and (s.taken_at > now() - $3::interval or exists (select from posts p where p.id = s.post_id))
order by s.slot_at;

-- internal/slots/slots.go QueueTake
insert into queue_slots as s (queue_id, slot_at, post_id)
select $1, * from unnest($2::timestamptz[], $3::uuid[])
on conflict (queue_id, slot_at) do update set post_id = excluded.post_id, taken_at = now();

-- internal/tables/accounts.go QueueRenewalAt
delete from jobs where id = $1;

-- internal/tables/accounts.go QueueRenewalAt
insert into jobs (id, kind, shard, due_at, payload) values ($1, $2, $3, $4, $5::text::json) on conflict (id) do update set due_at = excluded.due_at;

-- internal/tables/attempts.go InsertAttempts
insert into attempts (post_id, at, kind, n, comment, entry, attempts, code, message, next_at)
select u.* from unnest(@attempt_posts::uuid[], @attempt_ats::timestamptz[], @attempt_kinds::int2[], @attempt_ns::int2[], @attempt_comments::int2[],
    @attempt_entries::int2[], @attempt_tries::int2[], @attempt_codes::text[], @attempt_messages::text[], @attempt_next::timestamptz[])
  u (post, at, kind, n, comment, entry, attempts, code, message, next)
where (u.kind <> @processing or not exists (
  select from attempts a
  where a.post_id = u.post and a.kind = u.kind and a.n = u.n and a.comment = u.comment and a.entry = u.entry));

-- internal/tables/attempts.go QueueTrim
delete from attempts where ctid in (
select ctid from (
  select ctid, row_number() over (partition by post_id order by at desc) place
  from attempts where post_id = any($1)
) ranked where place > $2);

-- internal/tables/bound.go LockWorkspace
select from workspaces where id = $1 and deleting_at is null for no key update;

-- internal/tables/bound.go Admit
select count(*) from {table} where workspace_id = $1;

-- internal/tables/charges.go queueDays
select from counters c join unnest($1::uuid[], $2::date[]) u (subject, period) using (subject, period)
order by c.subject, c.period for no key update of c;

-- internal/tables/charges.go queueDays
insert into counters as c (subject, period, used, most)
select subject, period, n, most
from unnest($1::uuid[], $2::date[], $3::int[], $4::int[]) with ordinality u (subject, period, n, most, i)
order by i
on conflict (subject, period) do update set used = c.used + excluded.used, most = excluded.most;

-- internal/tables/charges.go queueDays
update counters c set used = greatest(c.used + u.n, 0)
from unnest($1::uuid[], $2::date[], $3::int[]) u (subject, period, n)
where c.subject = u.subject and c.period = u.period;

-- internal/tables/charges.go queueMonths
select pg_advisory_xact_lock(key) from (
select distinct hashtextextended(format('crier month %s %s', subject, period), 0) as key
from unnest($1::uuid[], $2::date[]) u (subject, period) order by key) ordered;

-- internal/tables/charges.go queueMonths
with newest as (
    select u.month, u.workspace_id, coalesce(p.version, 0) as version, coalesce(p.used, 0) as used, u.n, u.most
    from unnest($1::uuid[], $2::date[], $3::int[], $4::int[]) u (workspace_id, month, n, most)
    left join lateral (select version, used from plan_usage p where p.month = u.month and p.workspace_id = u.workspace_id
order by p.version desc limit 1) p on true
  ), replaced as (
    delete from plan_usage p using newest n where (p.month, p.workspace_id, p.version) = (n.month, n.workspace_id, n.version)
  )
  insert into plan_usage (month, workspace_id, version, used, most)
  select month, workspace_id, version + 1, used + n, most from newest;

-- internal/tables/charges.go ReadUsed
select c.subject, c.period, false, c.used
  from unnest($1::uuid[], $2::date[]) u (subject, period) join counters c using (subject, period)
  union all
  select u.workspace_id, u.month, true, p.used
  from unnest($1::uuid[], $2::date[]) u (workspace_id, month) cross join lateral (select version, used from plan_usage p where p.month = u.month and p.workspace_id = u.workspace_id
order by p.version desc limit 1) p;

-- internal/tables/charges.go NextFreeDays
select u.subject, u.period, min(d.day)
from unnest($1::uuid[], $2::date[], $3::int[]) u (subject, period, most)
cross join lateral (select u.period + i as day from generate_series(1, $4::int) i) d
where not exists (select from counters c where c.subject = u.subject and c.period = d.day and c.used >= u.most)
group by u.subject, u.period;

-- internal/tables/collections.go putCollectionJobs
insert into jobs (id, kind, shard, due_at, version, payload)
select id, kind, shard, due, version, payload::json from unnest(@ids::uuid[], @kinds::int2[], @shards::int2[], @due::timestamptz[], @versions::int[], @payloads::text[])
  u (id, kind, shard, due, version, payload) order by id
on conflict (id) do update set due_at = excluded.due_at, fires = 0;

-- internal/tables/collections.go QueueCollections
insert into collections as c (id, account_id, workspace_id, what, due_at)
select gen_random_uuid(), a.id, a.workspace_id, u.what, case
  when u.what = 1 then (select min(s.due_at) from snapshots s where s.account_id = a.id)
  when a.id = any(@accounts) then @now::timestamptz
  else @now::timestamptz + @look::interval end
from accounts a join unnest(@platforms::int2[], @whats::int2[]) u (platform, what) on u.platform = a.platform
where a.id = any(@all) and (a.id = any(@accounts) or u.what in (1, 3)) and coalesce(a.disconnected_at, 'infinity') = 'infinity' and not a.needs_reconnect and a.ended = 0
order by a.id, u.what
on conflict (account_id, what) do update set due_at = excluded.due_at
  where excluded.due_at is not null and (c.due_at is null
    or @sooner::bool and excluded.due_at < c.due_at
    or c.what = 3 and c.due_at < excluded.due_at and c.lease_until > @now::timestamptz - @look::interval) -- who reads may not know the post
returning c.id, c.account_id, c.workspace_id, c.what, c.due_at, (select a.platform from accounts a where a.id = c.account_id);

-- internal/tables/demand.go PlanOf
select p.name, p.requests_per_minute, coalesce(p.posts_per_month, 0),
  case when w.live_id is null then coalesce(p.accounts, 0) else 0 end
from workspaces w
join workspaces live on live.id = coalesce(w.live_id, w.id)
join plans p on p.name = live.plan
where w.id = $1;

-- internal/tables/events.go queueOwed
insert into outbox (id, owed, sent_at, payload) values ($1, $2, now(), $3);

-- internal/tables/events.go NextPosition
update event_positions set last = greatest(last + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
where id returning last;

-- internal/tables/events.go TakeMark
with locked as (
  select id, owed from outbox where id = any($1) and owed & $2::int2 <> 0 order by id for update
), gone as (
  delete from outbox where id = any(array(select id from locked where owed = $2::int2))
), kept as (
  update outbox set owed = owed & ~$2::int2 where id = any(array(select id from locked where owed <> $2::int2))
)
select id from locked;

-- internal/tables/history.go Archive
with moved as (
  delete from posts p where p.id = any($1) returning id, workspace_id, brand_id, version, status, scheduled_for, retried_for, timezone, from_api, platforms, content,
  left_n, posted_n, failed_n, created_at, updated_at, greatest(p.updated_at, p.created_at) as ended_at
), kept as (
  insert into posts_history (id, workspace_id, brand_id, version, status, scheduled_for, retried_for, timezone, from_api, platforms, content,
  left_n, posted_n, failed_n, created_at, updated_at, ended_at) select id, workspace_id, brand_id, version, status, scheduled_for, retried_for, timezone, from_api, platforms, content,
  left_n, posted_n, failed_n, created_at, updated_at, ended_at from moved returning id, ended_at
), moved_targets as (
  delete from targets where post_id = any($1) returning post_id, n, version, account_id, platform, content, state, step, entry, claim, node, lease_until, since, next_at,
  attempts, looked, progress, receipts, error, posted_at, charged_on, token, unsettled, accept_duplicate
), kept_targets as (
  insert into targets_history (post_id, n, version, account_id, platform, content, state, step, entry, claim, node, lease_until, since, next_at,
  attempts, looked, progress, receipts, error, posted_at, charged_on, token, unsettled, accept_duplicate, ended_at)
  select post_id, n, version, account_id, platform, content, state, step, entry, claim, node, lease_until, since, next_at,
  attempts, looked, progress, receipts, error, posted_at, charged_on, token, unsettled, accept_duplicate, k.ended_at from moved_targets m join (select id as post, ended_at from kept) k on k.post = m.post_id
), moved_comments as (
  delete from comments where post_id = any($1) returning id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
  attempts, looked, native_id, url, error, posted_at, token
), kept_comments as (
  insert into comments_history (id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
  attempts, looked, native_id, url, error, posted_at, token, ended_at)
  select id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
  attempts, looked, native_id, url, error, posted_at, token, k.ended_at from moved_comments m join (select id as post, ended_at from kept) k on k.post = m.post_id
)
delete from ended_posts where post_id = any($1);

-- internal/tables/history.go bringBack
with moved as (
  delete from posts_history where id = $1 and workspace_id = $2 returning id, workspace_id, brand_id, version, status, scheduled_for, retried_for, timezone, from_api, platforms, content,
  left_n, posted_n, failed_n, created_at, updated_at
), changed as (
  insert into posts (id, workspace_id, brand_id, version, status, scheduled_for, retried_for, timezone, from_api, platforms, content,
  left_n, posted_n, failed_n, created_at, updated_at) select id, workspace_id, brand_id, version, status, scheduled_for, retried_for, timezone, from_api, platforms, content,
  left_n, posted_n, failed_n, created_at, updated_at from moved returning id, workspace_id, status, scheduled_for, left_n
), moved_targets as (
  delete from targets_history where post_id = $1 and exists (select from changed) returning post_id, n, version, account_id, platform, content, state, step, entry, claim, node, lease_until, since, next_at,
  attempts, looked, progress, receipts, error, posted_at, charged_on, token, unsettled, accept_duplicate
), back_targets as (
  insert into targets (post_id, n, version, account_id, platform, content, state, step, entry, claim, node, lease_until, since, next_at,
  attempts, looked, progress, receipts, error, posted_at, charged_on, token, unsettled, accept_duplicate) select post_id, n, version, account_id, platform, content, state, step, entry, claim, node, lease_until, since, next_at,
  attempts, looked, progress, receipts, error, posted_at, charged_on, token, unsettled, accept_duplicate from moved_targets
), moved_comments as (
  delete from comments_history where post_id = $1 and exists (select from changed) returning id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
  attempts, looked, native_id, url, error, posted_at, token
), back_comments as (
  insert into comments (id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
  attempts, looked, native_id, url, error, posted_at, token) select id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
  attempts, looked, native_id, url, error, posted_at, token from moved_comments
) insert into ended_posts as e (post_id, workspace_id, status, scheduled_for, ended_at)
select id, workspace_id, status, scheduled_for, now() from changed where left_n = 0 and status in (4, 5, 6, 7)
on conflict (post_id) do update set status = excluded.status, scheduled_for = excluded.scheduled_for, ended_at = excluded.ended_at;

-- internal/tables/history.go QueueReopened
delete from ended_posts where post_id = $1;

-- internal/tables/holds.go ShareHolds
select pg_advisory_xact_lock_shared(hashtext('crier holds'));

-- internal/tables/holds.go LockHolds
select pg_advisory_xact_lock(hashtext('crier holds'));

-- internal/tables/holds.go Pause
insert into holds (subject, platform, kind, reason)
select $1::uuid, $2::smallint, $3::smallint, $4::text union all select id, null, $3, $4 from workspaces where live_id = $1
on conflict {conflict} do update set reason = coalesce(nullif(excluded.reason, ''), holds.reason);

-- internal/tables/holds.go Lift
delete from holds where kind = $1 and (platform = $3 or subject = $2 or subject in (select id from workspaces where live_id = $2));

-- internal/tables/holds.go Pauses
select coalesce(h.subject, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(h.platform, 0), h.kind, h.reason, h.created_at from holds h where h.subject = $1 and h.kind in (2, 8) order by h.kind;

-- internal/tables/holds.go AddHolds
select coalesce(h.subject, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(h.platform, 0), h.kind, h.reason, h.created_at from holds h where h.subject = any($1::uuid[] || '00000000-0000-0000-0000-000000000000'::uuid)
union all
select coalesce(h.subject, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(h.platform, 0), h.kind, h.reason, h.created_at from holds h where h.platform = any($2);

-- internal/tables/holds.go addRestoreHold
select p.id from unnest($1::uuid[]) p (id) where exists (select from restores r where r.ended_at is null and p.id <= r.last_id
and not exists (select from restore_releases x where x.post_id = p.id));

-- internal/tables/invitations.go QueueInvitation
insert into invitations (id, workspace_id, email, role, hash, invited_by, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- internal/tables/jobs.go insertJobs
insert into jobs (id, kind, shard, due_at, version, payload)
select id, kind, shard, due, version, payload::json from unnest(@ids::uuid[], @kinds::int2[], @shards::int2[], @due::timestamptz[], @versions::int[], @payloads::text[])
  u (id, kind, shard, due, version, payload);

-- internal/tables/jobs.go insertFarJobs
with u as materialized (
  select *, to_regclass('jobs_far_' || to_char(due at time zone 'UTC', 'YYYYMMDD')) is not null as day from unnest(@ids::uuid[], @kinds::int2[], @shards::int2[], @due::timestamptz[], @versions::int[], @payloads::text[])
  u (id, kind, shard, due, version, payload)
), far as (
  insert into jobs_far (id, kind, shard, due_at, version, payload)
  select id, kind, shard, due, version, payload::json from u where day
)
insert into jobs (id, kind, shard, due_at, version, payload)
select id, kind, shard, due, version, payload::json from u where not day;

-- internal/tables/jobs.go MoveJobs
update jobs j set due_at = w.due_at,
  held = j.held and exists (select from targets t join posts p on p.id = t.post_id
    where t.post_id = j.id and t.state in (0, 1) and (exists (select from holds h where h.subject = any (array[p.workspace_id, t.account_id]))
  or t.platform = any (array(select h.platform from holds h where h.platform is not null)))),
  overdue_since = coalesce(j.overdue_since, case when w.base < now() then w.base end)
from (
  select t.post_id, min(coalesce(p.retried_for, p.scheduled_for)) base, min(case
    when t.state = 1 then t.lease_until + @settle::interval
    when t.claim = 0 and coalesce(t.next_at, now()) <= now() then now() + @visibility::interval
    else greatest(coalesce(t.next_at, now()), now()) end) due_at,
    bool_and(t.state = 1 or coalesce(t.next_at, now()) > now()) rests
  from targets t join posts p on p.id = t.post_id
  where t.post_id = any(@posts) and p.status in {statuses} and t.state in (0, 1) group by t.post_id
) w
where j.id = w.post_id and (w.due_at < j.due_at or w.rests and j.due_at <= now() or j.id = any(coalesce(@waiting::uuid[], '{}')))
returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload;

-- internal/tables/jobs.go DeleteDeliveries
with chosen as materialized (
  select d.id from unnest($1::uuid[]) u (webhook)
  cross join lateral (select id from deliveries where webhook_id = u.webhook order by id limit $2) d limit $2
), locked as materialized (
  select id from deliveries where id in (select id from chosen) order by id for update
), gone as (
  delete from deliveries d using locked where d.id = locked.id returning d.id
), jobs as (
  delete from jobs j using gone where j.id = gone.id
)
select count(*) from gone;

-- internal/tables/keys.go TakeKey
select fingerprint, response from idempotency where lineage = $1 and key = $2;

-- internal/tables/keys.go InsertKeys
insert into idempotency as i (lineage, key, fingerprint, response)
select * from unnest(@lineages::uuid[], @keys::text[], @fingerprints::bytea[], @responses::bytea[])
on conflict (lineage, key) do update
  set fingerprint = excluded.fingerprint, response = excluded.response, created_at = now()
  where i.created_at < now() - interval '24 hours'
returning lineage, key;

-- internal/tables/mail.go putMail
insert into mails as m (id, kind, about, recipient, since, due_at, expires_at)
select @id::uuid, @kind, @about::uuid, @recipient, @now::timestamptz, @now::timestamptz, @now::timestamptz + @life::interval
where (select count(*) from (select from mails where due_at is not null limit @waiting) w) < @waiting
  and not exists (
  select from mail_choices c
  where c.email = @recipient and c.kind = @kind and c.workspace_id in ('00000000-0000-0000-0000-000000000000'::uuid, @about::uuid) and not c.wanted)
  and (@kind <> all(@toUnknown::int2[]) or (
  select count(*) from mails u
  where u.recipient = @recipient and u.kind = any(@toUnknown::int2[]) and u.about <> @about::uuid
    and greatest(u.due_at, u.sent_at) > @now::timestamptz - @interval::interval) < @unknown)
  and (@kind <> @invitation or (
  select count(*) from mails i
  where i.kind = @invitation and i.about = @about::uuid and i.recipient <> @recipient
    and greatest(i.due_at, i.sent_at) > @now::timestamptz - @interval::interval) < @invited)
on conflict (kind, about, recipient) do update set since = case when m.due_at is null then excluded.since else least(m.since, excluded.since) end,
  version = m.version + 1,
  attempts = case when m.due_at is null then 0 else m.attempts end,
  due_at = coalesce(m.due_at, greatest(excluded.due_at, m.sent_at + @interval::interval)),
  expires_at = greatest(m.expires_at, excluded.expires_at, m.sent_at + @interval::interval + (excluded.expires_at - excluded.since));

-- internal/tables/mail.go noteMails
insert into mails as m (id, kind, about, recipient, since, due_at, expires_at)
select n.id, n.kind, n.workspace, '', n.since, @now::timestamptz + @gathering::interval, @now::timestamptz + @life::interval
from unnest(@ids::uuid[], @kinds::int2[], @workspaces::uuid[], @since::timestamptz[]) n (id, kind, workspace, since)
join workspaces w on w.id = n.workspace and w.live_id is null and w.deleting_at is null
where not exists (
  select from mails o
  where o.kind = n.kind and o.about = n.workspace and o.recipient = '' and o.due_at is not null and o.since <= n.since)
order by n.kind, n.workspace
on conflict (kind, about, recipient) do update set since = case when m.due_at is null then excluded.since else least(m.since, excluded.since) end,
  version = m.version + 1,
  attempts = case when m.due_at is null then 0 else m.attempts end,
  due_at = coalesce(m.due_at, greatest(excluded.due_at, m.sent_at + @interval::interval)),
  expires_at = greatest(m.expires_at, excluded.expires_at, m.sent_at + @interval::interval + (excluded.expires_at - excluded.since));

-- internal/tables/media.go QueueUses
insert into media_uses (media_id, post_id) select * from unnest($1::uuid[], $2::uuid[])
on conflict do nothing;

-- internal/tables/media.go QueueUnused
with gone as (delete from media_uses where post_id = any($1) returning media_id)
update media m set expires_at = greatest(m.expires_at, now() + $2::interval) from gone where m.id = gone.media_id;

-- internal/tables/posts.go LockPost
select from posts where id = $1 for no key update;

-- internal/tables/posts.go LockPosts
select from posts where id = any($1) order by id for no key update;

-- internal/tables/posts.go addTargets
select t.post_id, t.n, t.account_id, t.platform, t.content, t.state, t.receipts, t.error,
t.next_at, t.attempts, t.posted_at, t.charged_on, t.entry, t.unsettled from {targets} t where t.post_id = any($1) order by t.post_id, t.n;

-- internal/tables/posts.go addComments
select post_id, n, id, position, entry, text, state, native_id, url, error, posted_at
from {comments} where post_id = any($1) order by post_id, n, position;

-- internal/tables/posts.go insertPosts
insert into posts (id, workspace_id, brand_id, version, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at, draft)
select id, workspace, brand, version, status, scheduled, timezone, api, platforms, content::json, n, created, updated, status = 1
from unnest(@ids::uuid[], @workspaces::uuid[], @brands::uuid[], @versions::int[], @statuses::int2[], @scheduled::timestamptz[],
  @timezones::text[], @from_api::bool[], @platforms::int[], @contents::text[], @left::int2[], @created::timestamptz[], @updated::timestamptz[])
  u (id, workspace, brand, version, status, scheduled, timezone, api, platforms, content, n, created, updated);

-- internal/tables/posts.go insertTargets
insert into targets (post_id, n, version, account_id, platform, content, step, charged_on)
select * from unnest(@posts::uuid[], @ns::int2[], @versions::int[], @accounts::uuid[], @platforms::int2[], @contents::text[], @steps::int2[], @charged::date[]);

-- internal/tables/redeliveries.go QueueRedeliveries
insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, redelivers)
select u.made, d.webhook_id, d.workspace_id, d.event_id, d.event, d.body, d.id
from unnest($1::uuid[], $2::uuid[]) u (made, old) join deliveries d on d.id = u.old;

-- internal/tables/repair.go CancelPost
with changed as (
    update posts p set status = $2, version = $3, left_n = 0, updated_at = now() where id = $1 returning p.id, p.workspace_id, p.status, p.scheduled_for, p.left_n
  ) insert into ended_posts as e (post_id, workspace_id, status, scheduled_for, ended_at)
select id, workspace_id, status, scheduled_for, now() from changed where left_n = 0 and status in (4, 5, 6, 7)
on conflict (post_id) do update set status = excluded.status, scheduled_for = excluded.scheduled_for, ended_at = excluded.ended_at;

-- internal/tables/repair.go CancelPost
update targets set state = $2, charged_on = case when n <> all ($3) then charged_on end
where post_id = $1 and state in (0, 1);

-- internal/tables/repair.go CancelPost
with skipped as (
  update comments set state = $2, claim = claim + 1, lease_until = null
  where post_id = $1 and state in (0, 1)
  returning id
)
delete from jobs where id = any(array(select id from skipped) || $1);

-- internal/tables/repair.go CancelPost
delete from queue_slots where post_id = $1;

-- internal/tables/repair.go RecountPosts
with changed as (
update posts p set
  left_n = c.left_n, posted_n = c.posted, failed_n = c.failed, updated_at = now(), edited_at = now(),
  status = case
    when p.status in (1, 7) or c.left_n > 0 then p.status
    when c.failed = 0 then 4
    when c.posted = 0 then 6
    else 5 end
from (
  select post_id, count(*) filter (where state in (0, 1)) left_n, count(*) filter (where state = 2) posted,
    count(*) filter (where state = 3) failed
  from targets where post_id = any($1) group by post_id
) c
where p.id = c.post_id returning p.id, p.workspace_id, p.status, p.scheduled_for, p.left_n) insert into ended_posts as e (post_id, workspace_id, status, scheduled_for, ended_at)
select id, workspace_id, status, scheduled_for, now() from changed where left_n = 0 and status in (4, 5, 6, 7)
on conflict (post_id) do update set status = excluded.status, scheduled_for = excluded.scheduled_for, ended_at = excluded.ended_at;

-- internal/tables/repair.go RepairPosts
select p.id, p.workspace_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), p.version, p.status, p.scheduled_for, p.timezone,
p.from_api, p.content, p.created_at, p.updated_at from posts p where p.id = any($1);

-- internal/tables/repair.go RepairPosts
delete from jobs where id = any($1);

-- internal/tables/resumes.go BeginResume
with waiting as (
  select id from resumes where after_since = '-infinity' order by id limit 1 for update skip locked
), begun as (
  insert into resumes (id) select uuidv7() where not exists (select from waiting) returning id
)
select id from waiting union all select id from begun;

-- internal/tables/resumes.go GoOnResuming
select id from resumes where id = coalesce($1, id) order by id limit 1 for update;

-- internal/tables/resumes.go GoOnResuming
delete from resumes where id = $1;

-- internal/tables/resumes.go resume
with parked as materialized (
  select j.id, j.kind, j.overdue_since from resumes r cross join lateral (
    select id, kind, overdue_since from jobs
    where held and (overdue_since, id) > (r.after_since, r.after_id)
    order by overdue_since, id limit @limit
  ) j where r.id = @id
), free as (
  select id, row_number() over (order by overdue_since, id) nth, coalesce(
    (select min(coalesce(case when t.state = 1 then t.lease_until + @settle::interval else t.next_at end, now())) from targets t where t.post_id = k.id and t.state in (0, 1)),
    (select case when c.state = 1 then c.lease_until + @settle::interval else c.next_at end from comments c where c.id = k.id),
    now()) opens_at
  from parked k
  where not (k.kind = 1 and exists (
      select from posts p where p.id = k.id and p.status in (2, 3) and (
        (exists (select from holds h where h.subject = p.id) or exists (select from restores r where r.ended_at is null and p.id <= r.last_id
  and not exists (select from restore_releases x where x.post_id = p.id)))
        or not exists (select from targets t where t.post_id = p.id and t.state in (0, 1) and not (exists (select from holds h where h.subject = any (array[p.workspace_id, t.account_id]))
  or t.platform = any (array(select h.platform from holds h where h.platform is not null)))))))
    and not (k.kind = 2 and exists (
      select from comments c join accounts a on a.id = c.account_id
      where c.id = k.id and ((exists (select from holds h where h.subject = c.post_id) or exists (select from restores r where r.ended_at is null and c.id <= r.last_id
  and not exists (select from restore_releases x where x.post_id = c.post_id))) or (exists (select from holds h where h.subject = any (array[c.workspace_id, c.account_id]))
  or a.platform = any (array(select h.platform from holds h where h.platform is not null))))))
), locked as materialized (
  select j.id, f.nth, f.opens_at from jobs j join free f on f.id = j.id where j.held is distinct from false order by j.id for update of j
), resumed as (
  update jobs j set held = false, due_at = greatest(statement_timestamp() + l.nth * interval '1 microsecond', l.opens_at) from locked l where j.id = l.id returning 1
), last as (
  select overdue_since, id from parked order by overdue_since desc, id desc limit 1
), moved as (
  update resumes r set after_since = last.overdue_since, after_id = last.id from last where r.id = @id
)
select (select count(*) from parked), (select count(*) from resumed);

-- internal/tables/windows.go CountInWindow
insert into request_windows as w (subject, began_at, used) values (@subject, @now, @n)
on conflict (subject) do update set
  began_at = case when w.began_at > @now::timestamptz - @length::interval then w.began_at else excluded.began_at end,
  used = case when w.began_at > @now::timestamptz - @length::interval then w.used else 0 end + excluded.used
returning began_at, used;

-- keys/devices.go CreateDevice
delete from device_requests where device_hash in (
select device_hash from device_requests where expires_at <= now() - $1::interval order by expires_at limit 100 for update skip locked);

-- keys/devices.go CreateDevice
insert into device_requests (device_hash, user_hash, name, address, permission, interval_seconds, expires_at)
select @device, @user, @name, @address, @permission, @interval, now() + @life::interval
where (select count(*) from (select from device_requests where expires_at > now() limit @most) d) < @most
returning true;

-- keys/devices.go Device
select name, address, permission, created_at, expires_at from device_requests where user_hash = $1 and standing = $2 and expires_at > now();

-- keys/devices.go decide
update device_requests d set standing = @standing, user_id = @user, workspace_id = w.id
from workspaces w
where d.user_hash = @code and d.standing = @waiting and d.expires_at > now() and w.id = @workspace and w.deleting_at is null
returning d.name, d.address, d.permission;

-- keys/devices.go TakeDeviceKey
delete from device_requests where device_hash = $1;

-- keys/devices.go lockDevice
select d.standing, d.name, d.permission, d.expires_at <= now(), coalesce(d.polled_at > now() - make_interval(secs => d.interval_seconds), false),
  coalesce(w.id, '00000000-0000-0000-0000-000000000000'::uuid), w.live_id is not null, coalesce(d.user_id, '00000000-0000-0000-0000-000000000000'::uuid)
from device_requests d
left join workspaces w on w.id = d.workspace_id and w.deleting_at is null
where d.device_hash = $1 for update of d;

-- keys/devices.go notePoll
update device_requests set polled_at = now(), interval_seconds = least(interval_seconds + $2, $3) where device_hash = $1;

-- keys/devices.go makeKey
update api_keys set by_device = true where id = $1 returning (select name from users where id = $2);

-- keys/keys.go Keys
select k.id, k.lineage, k.workspace_id, w.live_id is not null, k.name, k.prefix, k.permission,
k.created_at, k.last_used_at, k.expires_at, k.revoked_at, k.suspended_at, k.suspended_until, k.networks, coalesce(k.made_by, '00000000-0000-0000-0000-000000000000'::uuid) from api_keys k join workspaces w on w.id = k.workspace_id where (w.id = $1 or w.live_id = $1) order by k.id desc limit $2 offset $3;

-- keys/keys.go Keys
select count(*) from api_keys k join workspaces w on w.id = k.workspace_id where (w.id = $1 or w.live_id = $1);

-- keys/keys.go Key
select k.id, k.lineage, k.workspace_id, w.live_id is not null, k.name, k.prefix, k.permission,
k.created_at, k.last_used_at, k.expires_at, k.revoked_at, k.suspended_at, k.suspended_until, k.networks, coalesce(k.made_by, '00000000-0000-0000-0000-000000000000'::uuid) from api_keys k join workspaces w on w.id = k.workspace_id where (w.id = $1 or w.live_id = $1) and k.id = $2;

-- keys/keys.go lockRole
select m.role from memberships m join workspaces w on coalesce(w.live_id, w.id) = m.workspace_id
where w.id = $1 and m.user_id = $2 for share of m;

-- keys/keys.go insertKey
insert into api_keys (id, lineage, workspace_id, name, prefix, hash, permission, created_at, suspended_at, suspended_until, expires_at, networks, made_by)
select @id, @lineage, @workspace, @name, @prefix, @hash, @permission, @created, @suspended, @until, @expires::timestamptz, coalesce(@networks::cidr[], '{}'), @maker::uuid
where (select count(*) from api_keys k where k.workspace_id = @workspace and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())) < @most;

-- keys/keys.go endOf
select expires_at from api_keys where lineage = $1 order by id desc limit 1;

-- keys/keys.go succeed
update api_keys k set by_device = old.by_device
from api_keys old where k.id = $1 and old.id = $2;

-- keys/keys.go succeed
update api_keys set expires_at = least(expires_at, $2) where id = $1;

-- keys/keys.go lockKey
select w.id from api_keys k join workspaces w on w.id = k.workspace_id where (w.id = $1 or w.live_id = $1) and k.id = $2 for no key update of w;

-- keys/keys.go lockKey
select k.id, k.lineage, k.workspace_id, w.live_id is not null, k.name, k.prefix, k.permission,
k.created_at, k.last_used_at, k.expires_at, k.revoked_at, k.suspended_at, k.suspended_until, k.networks, coalesce(k.made_by, '00000000-0000-0000-0000-000000000000'::uuid) from api_keys k join workspaces w on w.id = k.workspace_id where (w.id = $1 or w.live_id = $1) and k.id = $2 for no key update of k;

-- keys/keys.go EndKey
update api_keys set revoked_at = now() where id = $1;

-- keys/keys.go Unsuspend
update api_keys set suspended_at = null, suspended_until = null where id = $1;

-- keys/keys.go Unsuspend
delete from request_windows where subject = $1;

-- keys/keys.go othersManage
select exists (select from api_keys where workspace_id = $1 and id <> $2 and permission = $3 and revoked_at is null and expires_at is null);

-- keys/registration.go Register
insert into workspaces (id, name, plan, email) values ($1, $2, $3, $4);

-- known.go selectKnown
select u.i, known.ids, w.live_id is null and a.native_id <> '' and exists (
  select from accounts other join workspaces ow on ow.id = other.workspace_id
  where other.platform = a.platform and other.native_id = a.native_id and other.server = a.server
    and other.id <> a.id and other.disconnected_at is null and ow.live_id is null)
from unnest(@accounts::uuid[], @since::timestamptz[], @owners::uuid[], @ns::int2[], @entries::int2[]) with ordinality u (account, since, owner, n, entry, i)
join accounts a on a.id = u.account
join workspaces w on w.id = a.workspace_id
cross join lateral (
  select array_agg(r.native_id) ids from receipts r
  where r.profile = substr(sha256(convert_to(a.platform || ' ' || case when w.live_id is null then a.server else w.id::text end || ' '
  || coalesce(nullif(a.native_id, ''), a.id::text), 'UTF8')), 1, 16) and r.seen_at >= u.since and (r.owner, r.n, r.entry) <> (u.owner, u.n, u.entry)
) known;

-- late.go lockStanding
select t.post_id, t.n, t.version, t.claim, t.step, t.entry, t.attempts, t.looked, t.since, t.progress, t.error, t.receipts, t.unsettled,
  t.accept_duplicate, t.content, p.content, coalesce(p.retried_for, p.scheduled_for), (t.step = 2 and exists (select from restores r where r.restored_to >= t.since)), a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits, t.state, greatest(coalesce(extract(epoch from t.next_at - now()), 0), 0)::float8, t.charged_on is not null
from targets t
join posts p on p.id = t.post_id
join accounts a on a.id = t.account_id
join workspaces w on w.id = a.workspace_id
where t.post_id = $1 and t.n = $2 for no key update of t;

-- late.go writeLateTarget
update targets set
  state = @state, step = @step, entry = @entry, attempts = @attempts, looked = @looked, claim = claim + 1,
  since = case when @fresh then null else since end, next_at = now() + @next::float8 * interval '1 second', lease_until = null,
  progress = @progress::text::json, receipts = @receipts::text::json, error = @error::text::json,
  posted_at = coalesce(@posted, posted_at), charged_on = coalesce(charged_on, @today),
  unsettled = @unsettled
where post_id = @post and n = @n;

-- late.go keepReceipt
update comments set state = $2, claim = claim + 1, native_id = $3, url = $4, error = null, posted_at = $5, lease_until = null
where id = $1;

-- late.go keepReceipt
delete from jobs where id = $1;

-- late.go lockComment
select state, native_id, workspace_id, account_id, coalesce(post_id, id), n, entry from comments where id = $1 for no key update;

-- late.go bringBackOf
select workspace_id from comments_history where id = $1 and post_id = $2;

-- late.go recordSecond
insert into duplicates (workspace_id, account_id, post_id, n, entry, comment_id, native_id, url)
values (@workspace, @account, @post, @n, @entry, @comment, @native_id, @url) on conflict do nothing;

-- mail/choices.go Choices
select m.role, coalesce(jsonb_object_agg(c.kind, c.wanted) filter (where c.kind is not null), '{}')
from memberships m join users u on u.id = m.user_id
left join mail_choices c on c.email = u.email and c.workspace_id = m.workspace_id
where m.user_id = $1 and m.workspace_id = $2 group by m.role;

-- mail/choices.go Choose
insert into mail_choices (email, kind, workspace_id, wanted) select email, $2, $3, $4 from users where id = $1
on conflict (email, kind, workspace_id) do update set wanted = excluded.wanted;

-- mail/choices.go Recipient
select email from mail_recipients where token = $1;

-- mail/choices.go Refuse
insert into mail_choices (email, kind, workspace_id, wanted)
select $1, $2, coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'::uuid), false where $3::uuid is null or exists (select from workspaces where id = $3)
on conflict (email, kind, workspace_id) do update set wanted = excluded.wanted;

-- mail/choices.go Refuse
delete from mails where recipient = $1 and kind = $2 and ($3::uuid is null or about = $3);

-- mail/letters.go invitation
update invitations i set mail_hash = $3 from workspaces w
where i.workspace_id = $1 and i.email = $2 and i.expires_at > now() and w.id = i.workspace_id and w.deleting_at is null
returning i.role, regexp_replace(w.name, ' \(ws_[0-9a-z]{26}\)$', ''), coalesce((select u.name from users u where u.id = i.invited_by), '');

-- mail/letters.go reset
with made as (
  insert into sign_in_links (hash, user_id, expires_at)
  select $3, id, now() + $4::interval from users where id = $1 and email = $2 returning user_id
)
select u.name from users u join made on made.user_id = u.id;

-- mail/letters.go address
update email_changes c set hash = $3 from users u
where c.user_id = $1 and c.email = $2 and c.expires_at > now() and u.id = c.user_id returning u.name;

-- mail/letters.go addressChanged
select name from users where id = $1 and email <> $2;

-- mail/letters.go member
select regexp_replace(w.name, ' \(ws_[0-9a-z]{26}\)$', ''), u.name from workspaces w
join memberships o on o.workspace_id = w.id join users u on u.id = o.user_id
where w.id = $1 and w.deleting_at is null and u.email = $2 and o.role >= $3;

-- mail/letters.go postsFailed
with ended as (
  (select e.post_id as id, e.ended_at from ended_posts e
   where e.workspace_id = @workspace and e.status in (5, 6) and e.ended_at >= @since order by e.ended_at desc limit @most)
  union all
  (select h.id, h.ended_at from posts_history h
   where h.workspace_id = @workspace and h.status in (5, 6) and h.from_api and h.ended_at >= @since order by h.ended_at desc limit @most)
  union all
  (select h.id, h.ended_at from posts_history h
   where h.workspace_id = @workspace and h.status in (5, 6) and not h.from_api and h.ended_at >= @since order by h.ended_at desc limit @most)
), latest as (select id, ended_at from ended order by ended_at desc, id desc limit @listed)
select f.id, f.ended_at, t.platform, coalesce(a.name, ''), coalesce(t.error ->> 'message', ''), (select count(*) from ended)
from latest f join all_targets t on t.post_id = f.id and t.state = 3 left join accounts a on a.id = t.account_id
order by f.ended_at desc, f.id desc, t.n;

-- mail/letters.go reconnect
select id, platform, name from accounts
where workspace_id = $1 and needs_reconnect and disconnected_at is null order by platform, name limit $2;

-- mail/letters.go suspension
select regexp_replace(w.name, ' \(ws_[0-9a-z]{26}\)$', '') from workspaces w where w.id = $1 and w.deleting_at is null and (
exists (
  select from users u join memberships o on o.user_id = u.id and o.workspace_id = w.id
  where u.email = $2 and (o.role >= $3 or exists (
    select from api_keys k join workspaces v on v.id = k.workspace_id
    where k.made_by = u.id and k.suspended_until > now() and (v.id = w.id or v.live_id = w.id))))
or w.email = $2 and not exists (select from memberships o where o.workspace_id = w.id));

-- mail/letters.go suspension
select k.name, k.prefix, k.suspended_until from api_keys k join workspaces w on w.id = k.workspace_id
where (w.id = $1 or w.live_id = $1) and k.suspended_until > now() and k.revoked_at is null
order by k.suspended_at desc, k.id limit $2;

-- mail/letters.go notice
select subject, body from notices where id = $1;

-- mail/letters.go refusing
insert into mail_recipients as r (email, token) values ($1, $2)
on conflict (email) do update set mailed_at = case when r.mailed_at < now() - interval '1 day' then now() else r.mailed_at end
returning token;

-- mail/notices.go PutNotice
insert into notices (id, subject, body) values ($1, $2, $3) on conflict do nothing;

-- mail/notices.go Notify
with room as (
  select count(*) < @most - @chunk as is_there from (select from mails where due_at is not null limit @most) w
), chunk as (
  select k.id, k.made_by, coalesce(w.live_id, w.id) as live
  from api_keys k join workspaces w on w.id = k.workspace_id and w.deleting_at is null
  where k.id > coalesce(@after::uuid, '00000000-0000-0000-0000-000000000000'::uuid) and k.revoked_at is null and (k.expires_at is null or k.expires_at > @now) and (select is_there from room)
  order by k.id limit @chunk
), owned as (
  select s.live, (select u.email from users u where u.id = s.made_by) as maker, (select w.email from workspaces w where w.id = s.live) as registered from chunk s
), told as (
  select coalesce(maker, registered) as email from owned where coalesce(maker, registered) is not null
  union
  select u.email from owned o join memberships m on m.workspace_id = o.live and m.role = @owner join users u on u.id = m.user_id
  where o.maker is null and o.registered is null
), stored as (
  insert into mails (id, kind, about, recipient, since, due_at, expires_at)
  select gen_random_uuid(), @kind, @notice, lower(t.email), @now, @now, @now::timestamptz + @life::interval from told t
  where not exists (select from mail_choices c where c.email = lower(t.email) and c.kind = @kind and not c.wanted)
  group by lower(t.email) order by lower(t.email)
  on conflict (kind, about, recipient) do nothing returning 1
)
select (select count(*) from stored), coalesce((select max(id::text)::uuid from chunk), '00000000-0000-0000-0000-000000000000'::uuid), not (select is_there from room);

-- mail/outbox.go Address
update mails m set due_at = null, sent_at = @now, attempts = 0
from (
  select id from mails where due_at <= @now and recipient = '' and kind <= @newest order by due_at limit 1 for update skip locked
) d
where m.id = d.id returning m.kind, m.about, m.since;

-- mail/outbox.go addressMails
with recipients as (
  select u.email, o.role >= @least as may, o.role >= @usual as usually, @ofKeys and exists (
    select from api_keys k join workspaces w on w.id = k.workspace_id
    where k.made_by = u.id and (w.id = o.workspace_id or w.live_id = o.workspace_id) and k.suspended_until > @now) as made_one
  from memberships o join users u on u.id = o.user_id
  where o.workspace_id = @workspace::uuid and u.confirmed_at is not null
  union all
  select w.email, false, false, true from workspaces w
  where @ofKeys and w.id = @workspace::uuid and w.email is not null and not exists (select from memberships o where o.workspace_id = w.id)
)
insert into mails as m (id, kind, about, recipient, since, due_at, expires_at)
select gen_random_uuid(), @kind, @workspace::uuid, r.email, @since::timestamptz, @now::timestamptz, @now::timestamptz + @life::interval
from recipients r left join mail_choices c on c.email = r.email and c.kind = @kind and c.workspace_id = @workspace::uuid
where (r.may and coalesce(c.wanted, r.usually) or r.made_one and coalesce(c.wanted, true))
  and (select count(*) from (select from mails where due_at is not null limit @waiting) w) < @waiting
order by r.email
on conflict (kind, about, recipient) do update set since = case when m.due_at is null then excluded.since else least(m.since, excluded.since) end,
  version = m.version + 1,
  attempts = case when m.due_at is null then 0 else m.attempts end,
  due_at = coalesce(m.due_at, greatest(excluded.due_at, m.sent_at + @interval::interval)),
  expires_at = greatest(m.expires_at, excluded.expires_at, m.sent_at + @interval::interval + (excluded.expires_at - excluded.since));

-- mail/outbox.go Claim
with awaited as (
  select id from mails
  where due_at <= @now and recipient <> '' and kind in (1, 2, 3, 4) and expires_at > @now
  order by due_at limit 1 for update skip locked
), other as (
  select id from mails
  where not exists (select from awaited) and due_at <= @now and recipient <> '' and kind <= @newest and expires_at > @now
  order by due_at limit 1 for update skip locked
)
update mails m set due_at = @now::timestamptz + @lease::interval, attempts = least(m.attempts + 1, 1000)
from (select id from awaited union all select id from other) d
where m.id = d.id returning m.id, m.kind, m.about, m.recipient, m.since, m.version, m.attempts, m.expires_at;

-- mail/outbox.go Finish
update mails set
  sent_at = case when @ended then @now::timestamptz else sent_at end,
  since = case when @ended then @now::timestamptz - @slack::interval else since end,
  due_at = case when not @ended then @now::timestamptz + @wait::interval when version > @version then @now::timestamptz + @interval::interval end,
  expires_at = case when @ended and version > @version then @now::timestamptz + @interval::interval + @life::interval else expires_at end
where id = @id;

-- mail/outbox.go Waiting
select k.kind, count(*), min(w.expires_at - k.life)
from (select kind, expires_at from mails where due_at is not null and (due_at <= @now or attempts > 0) limit @most) w
join unnest(@kinds::int2[], @lives::interval[]) k (kind, life) on k.kind = w.kind group by k.kind;

-- maintenance/archive.go noted
select ended_at, post_id from ended_posts
where (ended_at, post_id) > ($1, coalesce($2::uuid, '00000000-0000-0000-0000-000000000000'::uuid)) and ended_at < now() - $3::interval
order by ended_at, post_id limit $4;

-- maintenance/archive.go nextUnnoted
with stretch as materialized (
  select id, status, left_n, updated_at from posts where id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'::uuid) order by id limit $2
)
select (select id from stretch order by id desc offset 0 limit case when (select count(*) from stretch) = $2 then 1 else 0 end),
  array(
    select s.id from stretch s
    where s.status in (4, 5, 6, 7) and s.left_n = 0 and s.updated_at < now() - 2 * $3::interval
      and not exists (select from ended_posts e where e.post_id = s.id)
    order by s.id limit $4
  );

-- maintenance/archive.go archive
set local enable_seqscan = off;

-- maintenance/archive.go archive
select from posts where id = any($1) order by id for update skip locked;

-- maintenance/archive.go archive
delete from ended_posts e where e.post_id = any($1)
  and not exists (select from posts p where p.id = e.post_id and p.status in (4, 5, 6, 7));

-- maintenance/archive.go lockEnded
select greatest(p.updated_at, p.created_at), p.id from posts p
where p.id = any($1) and p.status in (4, 5, 6, 7) and p.left_n = 0
  and not exists (select from targets t where t.post_id = p.id and t.state in (0, 1))
  and not exists (select from comments c where c.post_id = p.id and c.state in (0, 1))
  and not exists (select from jobs j where j.id = p.id)
  and not exists (select from holds h where h.subject = p.id)
order by p.id for update of p skip locked;

-- maintenance/dead_letters.go CountDeadLetters
select u.stage, (select count(*) from (select from dead_letters l where l.stage = u.stage and l.dead_at is not null limit $2) dead)
from unnest($1::text[]) u (stage);

-- maintenance/dead_letters.go Rewrite
select l.id, l.stage, l.subject, l.n, l.unreadable, l.topic, l.partition, l.key, l.value, l.reason, l.tries, l.failed_at from dead_letters l where l.unreadable and l.replay_at is not null order by l.id limit 100;

-- maintenance/dead_letters.go Rewrite
delete from dead_letters where id = $1 and replay_at is not null;

-- maintenance/forgetting.go forget
with old as (
  select ctid, {column} as age from {table}
  where {column} >= coalesce($1::text::{kind}, {least}) and {column} < $2::{kind} {where}
  order by {column} limit $3
), gone as (
  delete from {table} t using old where t.ctid = old.ctid returning old.age
)
select (select count(*) from gone), (select age::text from old order by age desc limit 1);

-- maintenance/forgetting.go ForgetTurns
delete from app_turns where ctid = any(array(select ctid from app_turns where next_at < now() - interval '1 day' limit $1))
  and next_at < now() - interval '1 day';

-- maintenance/forgetting.go ForgetFound
delete from found_items where (monitor_id, item) in (
select monitor_id, item from found_items where forget_at < now() order by forget_at limit $1);

-- maintenance/forgetting.go ForgetWebhooks
select id from deleted_webhooks order by id limit 1;

-- maintenance/forgetting.go ForgetWebhooks
delete from deleted_webhooks where id = $1 and not exists (select from deliveries where webhook_id = $1);

-- maintenance/forgetting.go ForgetDeadLetters
delete from dead_letters where id in (select id from dead_letters where {old} limit $1);

-- maintenance/mail.go ForgetMails
with sent as (
  delete from mails where id in (
    select id from mails
    where due_at is null and sent_at < @now::timestamptz - @interval::interval and (kind <> @notice or expires_at < @now)
    order by sent_at limit @most) returning 1
), late as (
  delete from mails where id in (select id from mails where due_at is not null and expires_at < @now order by due_at limit @most) returning 1
), strangers as (
  delete from mail_recipients where email in (
    select email from mail_recipients where mailed_at < @now::timestamptz - @kept::interval order by mailed_at limit @most) returning 1
), unproven as (delete from email_changes where expires_at < @now returning 1
), unused as (delete from sign_in_links where expires_at < @now returning 1)
select (select count(*) from sent) + (select count(*) from late) + (select count(*) from strangers) + (select count(*) from unproven) + (select count(*) from unused);

-- maintenance/observation.go Observe
select coalesce((
  select extract(epoch from now() - uuid_extract_timestamp(id)) from outbox where id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'::uuid) order by id limit 1
), 0)::float8;

-- maintenance/observation.go Observe
select a.platform, count(*), count(*) filter (where a.needs_reconnect or a.ended <> 0)
from accounts a join workspaces w on w.id = a.workspace_id
where a.disconnected_at is null and w.live_id is null group by a.platform;

-- maintenance/outbox.go Unsent
with seen as materialized (
  select id, owed, sent_at from outbox where id > coalesce(@after::uuid, '00000000-0000-0000-0000-000000000000'::uuid) and id < @younger order by id limit @scan
), late as (
  select id from seen where owed & @mark::int2 <> 0 and (sent_at < now() - @age::interval or sent_at > now() + interval '1 minute') order by id limit @limit
), sized as (
  select id, sum(octet_length(payload)) over (order by id) - octet_length(payload) as before from outbox where id = any(array(select id from late))
), free as (
  select id from outbox where id = any(array(select id from sized where before < @bytes)) order by id for update skip locked
), sent as (
  update outbox set sent_at = now() where id = any(array(select id from free)) returning id, payload
)
select (select id from seen order by id limit 1), (select id from seen order by id offset @scan - 1 limit 1), sent.id, sent.payload
from (values (0)) always left join sent on true order by sent.id;

-- maintenance/outbox.go Owed
select count(*) from outbox where id = any($1) and owed & $2::int2 <> 0;

-- maintenance/partitions.go partitionsOf
select c.relname, i.inhrelid is not null, coalesce(i.inhdetachpending, false)
from pg_class t join pg_class c on c.relnamespace = t.relnamespace and c.relkind = 'r' and c.relname like $2
left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = t.oid
where t.oid = to_regclass($1) order by 1;

-- maintenance/partitions.go attach
set local lock_timeout = '100ms';

-- maintenance/partitions.go attach
create table {partition} (like {table} including all);

-- maintenance/partitions.go attach
alter table {table} attach partition {partition} for values from ({from}) to ({to});

-- maintenance/partitions.go dropPartition
drop table {partition};

-- maintenance/partitions.go over
select exists (select from {partition});

-- maintenance/partitions.go detach
alter table {table} detach partition {partition} finalize;

-- maintenance/partitions.go detach
alter table {table} detach partition {partition} concurrently;

-- maintenance/partitions.go impatiently
set lock_timeout = '100ms';

-- maintenance/partitions.go impatiently
reset lock_timeout;

-- maintenance/promotion.go nextDay
select pg_relation_size($1::text::regclass) / current_setting('block_size')::int;

-- maintenance/promotion.go findNear
select ctid from {day} where ctid >= $1 and ctid < $2 and due_at < $3 limit 1;

-- maintenance/promotion.go promote
select id from {day} where ctid >= $1 and ctid < $2 and due_at < $3;

-- maintenance/promotion.go promote
with moved as (
  delete from {day} where ctid >= $1 and ctid < $2 and due_at < $3 and id = any($4) returning *
)
insert into jobs (id, kind, shard, due_at, version, payload)
select m.id, m.kind, m.shard, m.due_at, m.version, m.payload
from moved m join posts p on p.id = m.id and p.version = m.version and p.status = 2
order by m.id
on conflict (id) do update set kind = excluded.kind, shard = excluded.shard, due_at = excluded.due_at, version = excluded.version,
  payload = excluded.payload, held = false, fires = 0, overdue_since = null
where jobs.version < excluded.version;

-- maintenance/recover.go next
select at.shard, j.kind, j.due_at, j.id, j.fires > 0
from unnest($1::int2[], $2::timestamptz[], $3::uuid[]) at (shard, due_at, id) cross join lateral (
  select kind, due_at, id, fires from jobs
  where shard = at.shard and due_at between $4 and at.due_at and (due_at, id) < (at.due_at, at.id)
  order by due_at desc, id desc limit $5
) j order by at.shard, j.due_at desc, j.id desc;

-- maintenance/recover.go endClaims
update {table} set {lease} = least({lease}, now())
where {key} = any($1) and {leased} and {node} = $2
returning {key};

-- maintenance/recover.go endClaims
update jobs set due_at = now() + $2::interval + interval '200 milliseconds'
where id = any($1) and due_at > now() + $2::interval;

-- maintenance/redelivery.go Redeliver
select exists (select from redeliveries where (looked_at <= now() - interval '500 milliseconds' or looked_at > now() + interval '1 minute'));

-- maintenance/redelivery.go nextRedelivery
select webhook_id from redeliveries where (looked_at <= now() - interval '500 milliseconds' or looked_at > now() + interval '1 minute') order by looked_at limit 1;

-- maintenance/redelivery.go nextRedelivery
select workspace_id, active from webhooks where id = $1 for no key update;

-- maintenance/redelivery.go nextRedelivery
select after_id, until_id, coalesce(made_from, '00000000-0000-0000-0000-000000000000'::uuid) from redeliveries where webhook_id = $1;

-- maintenance/redelivery.go redeliverChunk
update redeliveries set looked_at = now() where webhook_id = $1;

-- maintenance/redelivery.go redeliverChunk
delete from redeliveries where webhook_id = $1;

-- maintenance/redelivery.go redeliverChunk
update redeliveries set after_id = $2, made_from = $3, looked_at = now() - case when $4 then interval '0' else interval '500 milliseconds' end
where webhook_id = $1;

-- maintenance/redelivery.go waitingRedeliveries
select count(*) filter (where redelivers is not null and state in (0, 1)) from (
  select redelivers, state from deliveries where webhook_id = $1 and id >= $2::uuid order by id limit $3
) made;

-- maintenance/redelivery.go choose
select p.id, p.state = 3 and not exists (
  select from deliveries o
  where o.event_id = p.event_id and o.webhook_id = $1 and (o.state <> 3 or o.id > p.id))
from (select id, event_id, state from deliveries where webhook_id = $1 and id > $2 and id < $3 order by id limit $4) p
order by p.id;

-- maintenance/retention.go clearPosts
select id from {month} where id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'::uuid) order by id limit $2;

-- maintenance/retention.go clearPosts
delete from duplicates where post_id = any($1);

-- maintenance/review.go holdPosts
with page as materialized (select * from (
  (select id, workspace_id, scheduled_for, retried_for, status, version, left_n, posted_n, failed_n, updated_at from posts where workspace_id = @workspace and (scheduled_for, id) < (@due, @id) and scheduled_for between @from and @to order by workspace_id, scheduled_for desc, id desc limit @page)
  union all
  (select id, workspace_id, scheduled_for, retried_for, status, version, left_n, posted_n, failed_n, updated_at from posts where workspace_id > @workspace and scheduled_for between @from and @to order by workspace_id, scheduled_for desc, id desc limit @page)
) due order by workspace_id, scheduled_for desc, id desc limit @page), held as (
  insert into holds (subject, kind, reason) select id, @kind, 'overdue when crier was started with --hold-overdue'
  from page where status in (2, 3) and coalesce(retried_for, scheduled_for) <= @to
  on conflict (subject, kind) do nothing returning subject
)
select workspace_id, scheduled_for, id, (select count(*) from held) from (select workspace_id, scheduled_for, id from page order by workspace_id desc, scheduled_for, id limit 1) last;

-- maintenance/review.go holdComments
with page as materialized (
  select id, post_id, state from comments where id > @id order by id limit @page
), held as (
  insert into holds (subject, kind, reason) select post_id, @kind, 'overdue when crier was started with --hold-overdue'
  from (select distinct post_id from page where post_id is not null and state in (0, 1)) open
  on conflict (subject, kind) do nothing returning subject
), ended as (
  update comments c set state = 3, claim = claim + 1, lease_until = null, error = @error::text::json
  from page where c.id = page.id and page.post_id is null and page.state in (0, 1)
)
select id, (select count(*) from held) from page order by id desc limit 1;

-- maintenance/sweep.go keysetPlans
select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true);

-- maintenance/sweep.go nextPass
select workspace_id, due_at, id, open_id, began_at, ended_at is not null, coalesce(ended_at between now() - @rest::interval and now(), false)
  or name = @recent and exists (
    select from sweeps p where p.name = @all and p.ended_at between now() - @quick::interval and now() and p.ended_at - p.began_at < @quick
  )
from sweeps where name = @over;

-- maintenance/sweep.go keepPass
insert into sweeps (name, workspace_id, due_at, id, open_id, began_at, ended_at)
values (@name, @workspace, @due, @id, @open, @began, case when not @more then now() end)
on conflict (name) do update set workspace_id = excluded.workspace_id, due_at = excluded.due_at, id = excluded.id,
  open_id = excluded.open_id, began_at = excluded.began_at, ended_at = excluded.ended_at;

-- maintenance/sweep_posts.go findSuspects
with page as materialized (
  select * from (
    select due.*, count(*) filter (where status in (2, 3)) over (order by workspace_id, scheduled_for desc, id desc rows unbounded preceding) as opened
    from (select * from (
  (select id, workspace_id, scheduled_for, retried_for, status, version, left_n, posted_n, failed_n, updated_at from posts where workspace_id = @workspace and (scheduled_for, id) < (@due, @id) and scheduled_for between @from and @to order by workspace_id, scheduled_for desc, id desc limit @page)
  union all
  (select id, workspace_id, scheduled_for, retried_for, status, version, left_n, posted_n, failed_n, updated_at from posts where workspace_id > @workspace and scheduled_for between @from and @to order by workspace_id, scheduled_for desc, id desc limit @page)
) due order by workspace_id, scheduled_for desc, id desc limit @page) due
  ) counted where opened <= @open
), checked as (
  select p.id, p.version, (p.left_n, p.posted_n, p.failed_n) is distinct from (c.l, c.posted, c.failed) or c.l = 0 miscounted,
    j.id is null jobless, j.version <> p.version or json_array_length(j.payload -> 'accounts') <= c.last other, c.lease < now() - interval '2 minutes' and j.due_at > now() + interval '2 minutes' and not j.held forgotten,
    p.updated_at > now() + interval '1 minute' or c.lease > now() + @longest::interval + interval '1 minute'
      or not j.held and j.due_at > greatest(case when p.status = 2 then coalesce(p.retried_for, p.scheduled_for) end, c.until, now()) + interval '2 minutes' ahead
  from page p cross join lateral (
    select count(*) filter (where state in (0, 1)) l, count(*) filter (where state = 2) posted, count(*) filter (where state = 3) failed,
      max(lease_until) filter (where state = 1) lease, max(n) filter (where state in (0, 1)) last,
      max(greatest(next_at, lease_until)) filter (where state in (0, 1)) until
    from targets t where t.post_id = p.id
  ) c
  left join jobs j on j.id = p.id
  where p.status in (2, 3) and (p.retried_for is null or p.retried_for < @ahead)
), suspects as (
  select id, case when miscounted then 'counters_disagree' when jobless then 'post_without_job'
    when other then 'post_with_job_of_another_version' when forgotten then 'lease_over_and_no_job_due' else 'clock_was_ahead' end kind
  from checked where miscounted or jobless or other or forgotten or ahead
)
select last.workspace_id, last.scheduled_for, last.id, (select count(*) = @page or max(opened) = @open from page),
  array(select id from suspects order by id), array(select kind from suspects order by id)
from (select workspace_id, scheduled_for, id from page order by workspace_id desc, scheduled_for, id limit 1) last;

-- maintenance/sweep_posts.go pullIn
with changed as (
  update posts p set updated_at = now() from (
    select id, updated_at - now() by from posts where id = any(@posts) and updated_at > now() + interval '1 minute'
  ) a where p.id = a.id returning p.id, a.by
)
update targets t set
  next_at = t.next_at - coalesce(c.by, interval '0'),
  lease_until = case when t.lease_until is not null then least(t.lease_until - coalesce(c.by, interval '0'), now() + @longest::interval) end
from unnest(@posts::uuid[]) u (id) left join changed c on c.id = u.id
where t.post_id = u.id and t.state in (0, 1) and (c.by is not null or t.lease_until > now() + @longest::interval);

-- maintenance/sweep_rows.go nextRows
with page as materialized (select id, {open} as open from {table} where id > $1 order by id limit $2)
select last.id, (select count(*) from page), (select id from page where open order by id limit 1)
from (select id from page order by id desc limit 1) last;

-- maintenance/sweep_rows.go sweepJobs
with page as materialized (
  select id, kind, due_at, version, held, overdue_since from jobs where id > @after order by id limit @rows
), orphans as materialized (
  select id, version from page where overdue_since is not null and kind = 1
    and not exists (select from posts p where p.id = page.id and p.status in (2, 3))
), deleted as (
  delete from jobs j using orphans o where j.id = o.id and j.version = o.version returning j.id
), far as materialized (
  select id, due_at from page where not held and due_at > now() + interval '2 minutes' and kind in (2, 3)
), forgotten as materialized (
  select far.* from far join comments c on c.id = far.id where c.state = 1 and c.lease_until < now() - interval '2 minutes'
  union all
  select far.* from far join deliveries d on d.id = far.id where d.state = 1 and d.lease_until < now() - interval '2 minutes'
), ahead as materialized (
  select far.id, far.due_at, c.id comment, null::uuid delivery, c.state = 1 claimed from far join comments c on c.id = far.id
  where c.state = 1 and c.lease_until > now() + @lease::interval + interval '1 minute'
     or c.state = 0 and far.due_at > greatest(c.next_at, uuid_extract_timestamp(c.id) + @delay::interval, now()) + interval '2 minutes'
  union all
  select far.id, far.due_at, null, d.id, d.state = 1 from far join deliveries d on d.id = far.id
  where d.state = 1 and d.lease_until > now() + @lease::interval + interval '1 minute'
     or d.state = 0 and far.due_at > greatest(d.next_at, now()) + @visible::interval
), comment_leases as (
  update comments c set lease_until = now() + @lease::interval from ahead a where c.id = a.comment and a.claimed and c.lease_until > now() + @lease::interval
), delivery_leases as (
  update deliveries d set lease_until = now() + @lease::interval from ahead a where d.id = a.delivery and a.claimed and d.lease_until > now() + @lease::interval
), woken as (
  update jobs j set due_at = now() from (select id, due_at, false early from forgotten union all select id, due_at, true from ahead) f
  where j.id = f.id and j.due_at = f.due_at returning j.id, f.early
)
select last.id, (select count(*) from page), (select count(*) from deleted), (select count(*) from woken where not early), (select count(*) from woken where early),
  array(select p.id from page join posts p on p.id = page.id
    where page.kind = 1 and not page.held and page.overdue_since > now() + interval '1 minute' and p.status = 3 order by p.id)
from (select id from page order by id desc limit 1) last;

-- maintenance/sweep_rows.go comments
with page as materialized (select * from comments where id > $1 and id <= $2 and state in (0, 1))
select c.id, coalesce(c.post_id, c.id), c.workspace_id, c.account_id, a.platform from page c join accounts a on a.id = c.account_id
where not exists (select from jobs j where j.id = c.id);

-- maintenance/sweep_rows.go deliveries
with page as materialized (
  select id, webhook_id, workspace_id from deliveries where id > $1 and id <= $2 and state in (0, 1)
)
select id, webhook_id, workspace_id from page d
where not exists (select from jobs j where j.id = d.id) and exists (select from webhooks w where w.id = d.webhook_id);

-- maintenance/sweep_rows.go renewals
with page as materialized (
  select id, workspace_id from accounts where id > $1 and id <= $2 and renew_at is not null and disconnected_at is null
)
select id, workspace_id from page a where not exists (select from jobs j where j.id = a.id);

-- maintenance/sweep_rows.go collections
with page as materialized (select id, platform from accounts where id > $1 and id <= $2 and disconnected_at is null)
select c.id, c.account_id, c.workspace_id, c.what, c.due_at, p.platform from page p join collections c on c.account_id = p.id
where c.due_at is not null and not exists (select from jobs j where j.id = c.id);

-- maintenance/sweep_rows.go uncollected
select a.id from accounts a where a.id > $1 and a.id <= $2 and coalesce(a.disconnected_at, 'infinity') = 'infinity' and not a.needs_reconnect and a.ended = 0
  and (not exists (select from collections c where c.account_id = a.id)
    or exists (select from collections c where c.account_id = a.id and c.due_at is null
      and (c.what <> 1 or exists (select from snapshots s where s.account_id = a.id))));

-- media/expiry.go ExpireMedia
update media m set state = $1, deleted_at = null
    where m.state = $2 and m.facts ->> 'kind' <> '' and exists (
select from media_uses u join posts p on p.id = u.post_id
where u.media_id = m.id and p.workspace_id = m.workspace_id and p.status in (1, 2, 3));

-- media/expiry.go ExpireMedia
with due as (
      select m.id, exists (
select from media_uses u join posts p on p.id = u.post_id
where u.media_id = m.id and p.workspace_id = m.workspace_id and p.status in (1, 2, 3)) as needed, exists (select from media_uses u where u.media_id = m.id) as used
      from media m where m.state < @deleted and m.expires_at < now() order by m.expires_at limit @chunk
    ), ended as (
      delete from media_uses u using due where u.media_id = due.id and not due.needed
    )
    update media m set
      state = case when due.used then m.state else @deleted end,
      deleted_at = case when due.used then m.deleted_at else now() end,
      expires_at = case when due.needed then now() + @again when due.used then now() + @kept else m.expires_at end
    from due where m.id = due.id;

-- media/expiry.go RemovableMedia
select m.id from media m
  where m.state = $1 and m.deleted_at < now() - $2::interval and not exists (
select from media_uses u join posts p on p.id = u.post_id
where u.media_id = m.id and p.workspace_id = m.workspace_id and p.status in (1, 2, 3))
  order by m.deleted_at limit $3;

-- media/expiry.go ForgetMedia
delete from media_uses where media_id = any($1);

-- media/expiry.go ForgetMedia
delete from media where id = any($1) and state = $2;

-- media/expiry.go OrphanedMedia
select i.id from unnest($1::uuid[]) i (id) where not exists (select from media m where m.id = i.id);

-- media/media.go CreateMedia
insert into media (id, workspace_id, state, secret, announced, facts, alt_text, file_name, created_at, expires_at)
select @id, w.id, @state, @secret, @announced, @facts, @alt, @file, @created, @expires from workspaces w
where w.id = @workspace and w.deleting_at is null for key share;

-- media/media.go CompleteMedia
update media set state = $2, facts = $3, expires_at = now() + $4::interval where id = $1 and state = $5;

-- media/media.go anyMedia
select m.id, m.workspace_id, m.state, m.secret, m.announced, m.facts, m.alt_text, m.file_name, m.created_at,
case when exists (select from media_uses u where u.media_id = m.id) then null else m.expires_at end from media m where m.id = $1 and m.state in (0, 1);

-- media/media.go Media
select m.id, m.workspace_id, m.state, m.secret, m.announced, m.facts, m.alt_text, m.file_name, m.created_at,
case when exists (select from media_uses u where u.media_id = m.id) then null else m.expires_at end from media m
  where m.workspace_id = $1 and m.id = any($2) and m.state in (0, 1);

-- media/media.go prolong
update media set expires_at = greatest(expires_at, now() + $3::interval)
where workspace_id = $1 and id = any($2) and state = $4;

-- media/media.go MediaUses
select post_id from media_uses where media_id = $1 order by post_id desc limit $2;

-- media/media.go DescribeMedia
update media m set alt_text = $3 where m.id = $1 and m.workspace_id = $2 and m.state in (0, 1) returning m.id, m.workspace_id, m.state, m.secret, m.announced, m.facts, m.alt_text, m.file_name, m.created_at,
case when exists (select from media_uses u where u.media_id = m.id) then null else m.expires_at end;

-- media/media.go ListMedia
select count(*) from (select from media m where m.workspace_id = $1 and m.state = 1 limit $2) counted;

-- media/media.go ListMedia
select m.id, m.workspace_id, m.state, m.secret, m.announced, m.facts, m.alt_text, m.file_name, m.created_at,
case when exists (select from media_uses u where u.media_id = m.id) then null else m.expires_at end from media m where m.workspace_id = $1 and m.state = 1
  and ($4::uuid is null or m.id < $4) order by m.id desc limit $2 offset $3;

-- media/media.go DeleteMedia
with found as (
    select m.id, m.file_name as name, exists (
select from media_uses u join posts p on p.id = u.post_id
where u.media_id = m.id and p.workspace_id = m.workspace_id and p.status in (1, 2, 3)) as used from media m where m.id = $1 and m.workspace_id = $2 and m.state < $3
  ), marked as (
    update media m set state = $3, deleted_at = now() from found where m.id = found.id and not found.used
  )
  select count(*) > 0, coalesce(bool_or(used), false), coalesce(max(name), '') from found;

-- migrations/migrations.go catchUp
select setval('goose_db_version_id_seq', max(id)) from goose_db_version
having max(id) > (select last_value from goose_db_version_id_seq);

-- node.go take
select pg_try_advisory_lock(hashtextextended('crier node ' || $1, 0));

-- node.go tellKeys
select pg_advisory_lock_shared($1, $2);

-- node.go tellKeys
select pg_advisory_lock_shared($1, $2);

-- node.go tellKeys
select pg_advisory_unlock_shared($1, $2);

-- node.go tellKeys
select pg_advisory_unlock_shared($1, $2);

-- notify.go beginWithSubscribers
select id, workspace_id, events, active from webhooks
where workspace_id = any($1) and (active or disabled_at > now() - $2::interval) order by id;

-- notify.go confirmDisabled
select id, active from webhooks where id = any($1) order by id for key share;

-- notify.go insertDeliveries
insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state, error)
select u.*, case when u.state = 3 then 'the webhook was not active' else '' end
from unnest(@ids::uuid[], @webhooks::uuid[], @workspaces::uuid[], @event_ids::uuid[], @events::text[], @bodies::bytea[], @states::int2[])
  u (id, webhook, workspace, event_id, event, body, state);

-- notify.go endUnclaimed
select from webhooks where id = any(array(select webhook_id from deliveries where id = any($1))) and not active order by id for key share;

-- notify.go endUnclaimed
select from deliveries d where id = any($1) and not exists (select from webhooks w where w.id = d.webhook_id and w.active)
order by id for update;

-- notify.go failInactive
update deliveries d set state = 3, lease_until = null, error = 'the webhook was not active'
from webhooks w
where d.id = any($1) and w.id = d.webhook_id and not w.active
  and (d.state = 0 or (d.state = 1 and d.lease_until < now()));

-- notify.go deleteOrphans
delete from deliveries d where d.id = any($1) and not exists (select from webhooks w where w.id = d.webhook_id);

-- notify.go deleteDoneJobs
with done as materialized (
  select id from jobs j where j.id = any($1) and not exists (
    select from deliveries d join webhooks w on w.id = d.webhook_id
    where d.id = j.id and d.state in (0, 1))
  order by id for update
)
delete from jobs j using done where j.id = done.id;

-- notify.go claimDeliveries
update deliveries d set state = 1, claim = d.claim + 1, node = @node, token = u.token, lease_until = now() + @lease::interval
from unnest(@ids::uuid[], @tokens::int8[], @takeovers::bool[]) u (id, token, takeover), webhooks w
where d.id = u.id and w.id = d.webhook_id and w.active
  and ((d.state = 0 and (d.next_at is null or d.next_at <= least(now(), @due::timestamptz) + interval '100 milliseconds'))
  or (d.state = 1 and (d.lease_until + @settle::interval < least(now(), @latest::timestamptz) or (u.takeover and d.token = u.token))))
returning d.id, d.webhook_id, d.workspace_id, d.event_id, d.event, d.body, d.claim, d.attempts, d.redelivers is not null, w.enablings, w.url, w.secret,
  case when w.previous_until > now() then w.previous_secret end;

-- notify_finish.go queueTries
select from webhooks where id = any($1) order by id for no key update;

-- notify_finish.go queueTries
delete from jobs j using deliveries d
where j.id = any($1) and d.id = j.id and d.state in (2, 3);

-- notify_finish.go queueTries
update jobs j set due_at = d.next_at from deliveries d
where j.id = any($1) and d.id = j.id and d.state = 0
returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload;

-- notify_finish.go finishDeliveries
with taken as (
  update deliveries d set
    state = u.state, attempts = d.attempts + 1, lease_until = null, next_at = now() + u.next * interval '1 second',
    response_code = nullif(u.code, 0), response_ms = u.ms, error = u.error, response = u.response, delivered_at = now()
  from unnest(@places::int[], @ids::uuid[], @claims::int[], @enablings::int[], @states::int2[], @codes::int2[], @millis::int[], @errors::text[], @next::float8[], @responses::text[])
    u (n, id, claim, enablings, state, code, ms, error, next, response)
  where d.id = u.id and d.claim = u.claim and d.state = 1
  returning d.webhook_id, d.state, u.enablings, u.n
), ended as (
  select t.webhook_id, t.n, t.state = 2 ok, w.consecutive_failures before,
    count(*) filter (where t.state = 2) over (partition by t.webhook_id order by t.n) run
  from taken t join webhooks w on w.id = t.webhook_id
  where t.state in (2, 3) and w.active and w.enablings = t.enablings
), counted as (
  select webhook_id, n, ok,
    case when run = 0 then before else 0 end + count(*) filter (where not ok) over (partition by webhook_id, run order by n) failures
  from ended
), reached as (
  select *, min(n) filter (where failures >= @most::int) over (partition by webhook_id) as disabling from counted
), outcome as (
  select webhook_id, bool_or(ok) delivered, (array_agg(failures order by n desc))[1] failures
  from reached where disabling is null or n <= disabling group by webhook_id
), stored as (
  update webhooks w set
    last_delivered_at = case when o.delivered then now() else w.last_delivered_at end,
    consecutive_failures = o.failures, active = o.failures < @most::int,
    disabled_at = case when o.failures >= @most::int then now() end,
    disabled_reason = case when o.failures >= @most::int then @most::int || ' deliveries in a row failed' else '' end
  from outcome o where w.id = o.webhook_id
  returning w.*
)
select id, workspace_id, url, events, consecutive_failures, disabled_at, disabled_reason from stored where not active;

-- operation/admin.go WorkspacesOf
select id from workspaces where name = $1 and (live_id is not null or not $2) or id = $3 order by live_id is not null;

-- operation/admin.go makeWorkspace
insert into workspaces (id, name, plan, live_id, limits)
values ($1, $2, $3, $4, coalesce((select limits from workspaces where id = $4), 0))
on conflict (name, (live_id is null)) do nothing;

-- operation/admin.go workspaceOf
select id, plan, limits from workspaces where name = $1 and (live_id is not null) = $2;

-- operation/admin.go GivePlan
update workspaces set plan = $2 where id = $1;

-- operation/admin.go SetLimits
update workspaces set limits = $2 where id = $1 or live_id = $1;

-- operation/admin.go Workspaces
select id, name, plan, limits from workspaces
where live_id is null and deleting_at is null and name > $1 order by name limit $2;

-- operation/admin.go RevokeKey
update api_keys set revoked_at = coalesce(revoked_at, now()) where hash = $1 returning id, workspace_id, name;

-- operation/admin.go AccountID
select id from accounts where workspace_id = $1 and platform = $2 and native_id = $3 and server = $4;

-- operation/admin.go PutAccount
insert into accounts (id, workspace_id, brand_id, platform, native_id, name, server, sealed)
values (@id, @workspace, @brand, @platform, @native, @name, @server, @sealed)
on conflict (id) do update set name = excluded.name, sealed = excluded.sealed, needs_reconnect = false, ended = 0, end_message = null,
  revision = accounts.revision + 1, disconnected_at = null;

-- operation/admin.go Twin
insert into workspaces (id, name, plan, live_id, limits)
select $2, name, plan, id, limits from workspaces where id = $1 and live_id is null and deleting_at is null
on conflict do nothing;

-- operation/admin.go Twin
select id from workspaces where live_id = $1;

-- operation/admin.go admitAccount
select exists (select from accounts where id = $1 and disconnected_at is null);

-- operation/admin.go WorkspaceOfKey
select workspace_id from api_keys where id = $1;

-- operation/admin.go WorkspaceOfAccount
select workspace_id from accounts where id = $1;

-- operation/dead_letters.go DeadLetters
select l.id, l.stage, l.subject, l.n, l.unreadable, l.topic, l.partition, l.key, l.value, l.reason, l.tries, l.failed_at from dead_letters l
where l.dead_at is not null and l.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'::uuid) order by l.id limit $2;

-- operation/dead_letters.go replayWhere
select l.id, l.stage, l.subject, l.n, l.unreadable, l.topic, l.partition, l.key, l.value, l.reason, l.tries, l.failed_at from dead_letters l
where l.dead_at is not null and l.replay_at is null and {condition}
order by l.id limit $2 for update;

-- operation/dead_letters.go replay
update dead_letters set replay_at = now() where id = $1;

-- operation/dead_letters.go replay
delete from dead_letters where id = $1;

-- operation/dead_letters.go replay
update targets set next_at = now() where post_id = $1 and n = $2 and state = 0;

-- operation/dead_letters.go replay
update comments set next_at = now() where id = $1 and state = 0;

-- operation/dead_letters.go replay
update jobs set due_at = now() where id = $1;

-- operation/dead_letters.go replay
update deliveries set state = 0, attempts = 0, error = '', next_at = now() where id = $1 and state = 3;

-- operation/dead_letters.go replay
insert into jobs (id, kind, shard, due_at, payload)
select $1, $2, $3, now(), $4::text::json from deliveries where id = $1 and state = 0 on conflict (id) do nothing;

-- operation/dead_letters.go replay
update accounts set renew_at = now() where id = $1 and renew_at is not null and renew_lease is null;

-- operation/dead_letters.go replay
update jobs set due_at = now() where id = $1;

-- operation/dead_letters.go replay
update collections set due_at = now() where id = $1 and due_at is not null and lease_until is null;

-- operation/dead_letters.go replay
update jobs set due_at = now() where id = $1;

-- operation/dead_letters.go oweAgain
insert into outbox as o (id, owed, sent_at, payload) values ($1, $2, now() - interval '1 hour', $3)
on conflict (id) do update set owed = o.owed | excluded.owed, sent_at = excluded.sent_at;

-- operation/holds.go pauseTwin
insert into holds (subject, kind, reason, created_at)
select w.id, h.kind, h.reason, h.created_at from holds h join workspaces w on w.live_id = h.subject
where h.subject = $1 and h.kind = $2
on conflict (subject, kind) do nothing;

-- operation/holds.go tellHold
select name from workspaces where id = $1;

-- operation/holds.go tellHold
select workspace_id, name from accounts where id = $1;

-- operation/holds.go Holds
select coalesce(h.subject, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(h.platform, 0), h.kind, h.reason, h.created_at, coalesce(w.name, ''), coalesce(x.name, '')
from holds h
left join accounts x on h.kind in (2, 8) and x.id = h.subject
left join posts p on h.kind = $1 and p.id = h.subject
left join workspaces w on w.id = coalesce(x.workspace_id, p.workspace_id, h.subject)
where h.kind <> $2 or w.live_id is null
order by h.created_at, h.subject, h.kind;

-- operation/holds.go addPosts
select p.id, p.workspace_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), p.version, p.status, p.scheduled_for, p.timezone,
p.from_api, p.content, p.created_at, p.updated_at from posts p where p.id = any($1);

-- operation/holds.go cancelBatch
delete from holds where kind = $1 and subject = any($2);

-- operation/holds.go cancelAll
select p.id, p.workspace_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), p.version, p.status, p.scheduled_for, p.timezone,
p.from_api, p.content, p.created_at, p.updated_at from posts p where p.id = any($1) and p.status in (2, 3);

-- operation/holds.go cancelComments
with ended as (
  update comments set state = 3, claim = claim + 1, error = $2::text::json where post_id = any($1) and state in (0, 1) returning id
)
delete from jobs j using ended where j.id = ended.id;

-- operation/holds.go AccountPause
select from accounts where id = $1;

-- operation/release.go tryRelease
delete from holds where kind = $1 and subject = any($2);

-- operation/release.go queueRelease
update posts set retried_for = now()
where id = any($1) and status in (2, 3) and coalesce(retried_for, scheduled_for) < now();

-- operation/release.go queueRelease
update targets set charged_on = $2 where post_id = any($1) and state in (0, 1) and charged_on < $2;

-- operation/release.go queueRelease
with parked as (
  select id from jobs
  where (id = any($1) or id in (select id from comments where post_id = any($1) and state in (0, 1)))
    and overdue_since is not null and held
  order by id for update
)
update jobs j set due_at = now(), held = false from parked where j.id = parked.id;

-- operation/release.go readDemands
select post_id, n, account_id, platform, charged_on,
  state = 0 and json_array_length(receipts) = 0 and unsettled = 0 and coalesce(error ->> 'code', '') <> $3
from targets where post_id = any($1) and state in (0, 1) and charged_on < $2 order by post_id, n;

-- operation/release.go lockReviewed
select subject from holds
where kind = $1 and (cardinality($2::uuid[]) = 0 or subject = any($2)) and subject > coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'::uuid)
order by subject limit $4 for update;

-- operation/restored.go ReleaseRestored
insert into restore_releases select unnest($1::uuid[]) on conflict do nothing;

-- operation/restored.go ReleaseRestored
update comments set state = 0, step = 2, since = least(since, $2),
  claim = claim + 1, lease_until = null, looked = 0
where post_id = any($1) and state in (0, 1) and id <= $3;

-- operation/restored.go lookForFound
update targets t set state = 0, step = 2, since = least(t.since, $2), progress = null,
  unsettled = ((1 << json_array_length(p.content -> 'entries')) - 1) & ~((1 << t.entry) - 1),
  claim = t.claim + 1, next_at = null, lease_until = null, looked = 0
from restore_findings f join posts p on p.id = f.post_id
where f.post_id = any($1) and f.kind = $3 and t.post_id = f.post_id and t.n = f.n and t.state in (0, 1)
  and not exists (select from json_array_elements(t.receipts) receipt where (receipt ->> 'entry')::int = t.entry);

-- operation/rotation.go keyUses
select substring({column} for 5), count(*) from {table}
where length({column}) >= 5 group by 1 order by 1;

-- operation/rotation.go KeyHolders
select count(distinct pid) filter (where classid = @seals::int4::oid),
  count(distinct pid) filter (where classid = @opens::int4::oid and objid = @key::int8::oid),
  count(distinct pid) filter (where classid = @seals::int4::oid and objid = @key::int8::oid)
from pg_locks
where locktype = 'advisory' and granted and objsubid = 2
  and database = (select oid from pg_database where datname = current_database());

-- operation/rotation.go BeginRotation
select pg_try_advisory_lock(hashtext('crier keyset rotation'));

-- operation/rotation.go Alone
select 1;

-- operation/rotation.go Know
update installation_keyset set keys = array(select distinct key from unnest(keys || $1::bigint[]) key order by 1);

-- operation/rotation.go run
select {columns} from {table}
where {key} > $1::text::{type} and substring({column} for 5) = any($2)
order by {table}.{key} limit $3 for no key update skip locked;

-- operation/rotation.go run
update {table} set {column} = $1 where {key} = $2::text::{type};

-- operation/rotation.go Drop
select pg_try_advisory_lock(hashtext('crier keyset drop'));

-- operation/rotation.go Drop
select pg_advisory_unlock(hashtext('crier keyset drop'));

-- operation/rotation.go endKeys
select pg_advisory_xact_lock(hashtextextended('crier key ' || encode(prefix, 'hex'), 0))
from (select unnest($1::bytea[]) prefix order by 1) keys;

-- operation/rotation.go endKeys
insert into dropped_keys (prefix) select unnest($1::bytea[]) on conflict do nothing;

-- operation/rotation.go endKeys
update installation_keyset set keys = array(select key from unnest(keys) key where key <> all($1::bigint[]));

-- operation/sandboxes.go BareTwins
select w.id, case when w.live_id is null or w.deleting_at is not null then '{}' else array(
  select p from unnest(@platforms::int2[]) p where not exists (
    select from accounts a where a.workspace_id = w.id and a.platform = p and a.native_id = @native and a.server = ''))
  end as missing
from workspaces w where w.id > coalesce(@after::uuid, '00000000-0000-0000-0000-000000000000'::uuid) order by w.id limit @limit;

-- operation/sandboxes.go WallSecret
select secret from wall_secrets;

-- people/audit.go Audit
select a.id, a.at, a.actor, a.actor_id, a.actor_name, a.address, a.action, a.subject, a.subject_id, a.subject_name, a.changes
from audit a
where {of_workspace}
  and (@actor = '' or a.actor_id = @actor or a.actor = @kind)
  and (@subject = '' or a.subject_id = @subject or a.subject = @subject)
  and (@action = '' or a.action = @action or starts_with(a.action, @action || '.'))
  and (@from::timestamptz is null or a.at >= @from) and (@to::timestamptz is null or a.at < @to)
  and (@at::timestamptz is null or (a.at, a.id) < (@at, @id::uuid))
order by a.at desc, a.id desc limit @limit;

-- people/audit.go forgetName
update audit set actor_name = $2, address = '', subject_name = case when subject in ('session', 'passkey') then '' else subject_name end,
  changes = case when subject = 'passkey' then '[]' else changes end
where (id, at) in (
  select id, at from audit where actor_id = $1 and (actor_name <> $2 or address <> '') limit $3);

-- people/ceremonies.go BeginCeremony
delete from ceremonies where user_id = $1;

-- people/ceremonies.go BeginCeremony
delete from ceremonies where hash = any(array(
select hash from ceremonies where expires_at <= now() order by expires_at limit 100 for update skip locked));

-- people/ceremonies.go BeginCeremony
insert into ceremonies (hash, kind, provider, user_id, session_id, expires_at)
select @hash, @kind, @provider, @user, @session, now() + @life::interval
where (select count(*) from (select from ceremonies limit @most) waiting) < @most
returning true;

-- people/ceremonies.go TakeCeremony
delete from ceremonies where hash = $1
returning kind, provider, coalesce(user_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(session_id, '00000000-0000-0000-0000-000000000000'::uuid), expires_at > now();

-- people/ceremonies.go giveBack
update request_windows set used = greatest(used - 1, 0) where subject = $1;

-- people/ceremonies.go keepWay
select password is not null
  or @passkeys::boolean and exists (select from passkeys where user_id = users.id)
  or exists (select from identities where user_id = users.id and issuer = any(@issuers::text[]))
from users where id = @user;

-- people/ceremonies.go lockSession
select from sessions where id = $1 and user_id = $2 for key share;

-- people/ceremonies.go lockUser
select from users where id = $1 for no key update;

-- people/email.go AskReset
select id from users where email = $1;

-- people/email.go AskEmail
insert into email_changes (user_id, email, expires_at) values ($1, $2, now() + $3::interval)
on conflict (user_id) do update set email = excluded.email, hash = null, expires_at = excluded.expires_at;

-- people/email.go ProveEmail
with proven as (
  delete from email_changes where user_id = $1 and hash = $2 and expires_at > now() returning user_id, email
)
select u.email, p.email from proven p join users u on u.id = p.user_id for update of u;

-- people/email.go ProveEmail
delete from sign_in_links where user_id = $1;

-- people/email.go ProveEmail
delete from mail_choices where email = $1;

-- people/email.go ProveEmail
update mail_choices set email = $2 where email = $1;

-- people/email.go ProveEmail
delete from mail_recipients where email = $1;

-- people/email.go moveTo
update users set email = $2, confirmed_at = now()
where id = $1 and not exists (select from users o where o.email = $2 and o.id <> $1);

-- people/groups.go isLetIn
select exists (select from workspaces where name = any($1) and live_id is null and deleting_at is null);

-- people/groups.go takeRoles
select w.id, w.name, coalesce(m.role, 0) from workspaces w
left join memberships m on m.workspace_id = w.id and m.user_id = $1
where w.id = any(array(
  select workspace_id from memberships where user_id = $1 and given_by = $2
  union all
  select id from workspaces where name = any($3) and live_id is null))
  and w.deleting_at is null and (m.user_id is null or m.given_by = $2) order by w.id;

-- people/groups.go takeRole
select u.name, coalesce(m.role, 0), coalesce(m.given_by = $3, m.user_id is null),
  (select count(*) from memberships where workspace_id = $1 and role = $4),
  (select count(*) from memberships where workspace_id = $1) + (select count(*) from invitations where workspace_id = $1 and expires_at > now())
from users u left join memberships m on m.workspace_id = $1 and m.user_id = u.id where u.id = $2;

-- people/groups.go takeRole
insert into memberships (workspace_id, user_id, role, given_by) values ($1, $2, $3, $4)
on conflict (workspace_id, user_id) do update set role = excluded.role;

-- people/groups.go leave
delete from memberships where workspace_id = $1 and user_id = $2;

-- people/groups.go leave
delete from sessions where workspace_id = $1 and user_id = $2;

-- people/identities.go Identities
select id, issuer, email, created_at, used_at from identities where user_id = $1 order by created_at, id;

-- people/identities.go userBy
insert into users (id, email, name, created_at, confirmed_at) values (@id, @email, @name, @at, case when @verified then @at::timestamptz end)
on conflict (email) do nothing;

-- people/identities.go touchIdentity
select pg_advisory_xact_lock(hashtext('crier identity ' || $1 || ' ' || $2));

-- people/identities.go touchIdentity
select from users where id = (select user_id from identities where issuer = $1 and subject = $2) for key share;

-- people/identities.go touchIdentity
update identities set used_at = now(), email = $3 where issuer = $1 and subject = $2 returning user_id;

-- people/identities.go addIdentity
insert into identities (id, user_id, issuer, subject, email, created_at, used_at) values ($1, $2, $3, $4, $5, $6, $6);

-- people/identities.go linkAnother
select name, exists (select from identities where user_id = users.id and issuer = $2) from users where id = $1;

-- people/identities.go UnlinkIdentity
with gone as (delete from identities where user_id = $1 and id = $2 returning issuer)
select issuer, (select name from users where id = $1) from gone;

-- people/invitations.go Invite
delete from invitations where workspace_id = $1 and (email = $2 or expires_at <= now());

-- people/invitations.go mayInvite
select exists (select from memberships m join users u on u.id = m.user_id where m.workspace_id = $1 and u.email = $2),
(select count(*) from memberships where workspace_id = $1) +
(select count(*) from invitations where workspace_id = $1 and email <> $2 and expires_at > now());

-- people/invitations.go Invitations
select i.id, i.workspace_id, i.email, i.role, coalesce(i.invited_by, '00000000-0000-0000-0000-000000000000'::uuid), i.created_at, i.expires_at,
i.mail_hash is not null or exists (select from mails m where m.kind = 1 and m.about = i.workspace_id and m.recipient = i.email and m.due_at is not null)
from invitations i join workspaces w on w.id = i.workspace_id and w.deleting_at is null where i.expires_at > now() and i.workspace_id = $1 order by i.created_at desc, i.id desc limit $2;

-- people/invitations.go Withdraw
delete from invitations where workspace_id = $1 and id = $2 returning email;

-- people/invitations.go Invitation
select i.id, i.workspace_id, i.email, i.role, coalesce(i.invited_by, '00000000-0000-0000-0000-000000000000'::uuid), i.created_at, i.expires_at,
i.mail_hash is not null or exists (select from mails m where m.kind = 1 and m.about = i.workspace_id and m.recipient = i.email and m.due_at is not null)
from invitations i join workspaces w on w.id = i.workspace_id and w.deleting_at is null where i.expires_at > now() and (i.hash = $1 or i.mail_hash = $1);

-- people/invitations.go Invitation
select id from users where email = $1;

-- people/invitations.go Join
update sessions set workspace_id = $2, sandbox = false where id = $1;

-- people/invitations.go JoinAnew
insert into users (id, email, name, password, created_at) values ($1, $2, $3, $4, $5) on conflict (email) do nothing;

-- people/invitations.go accept
with used as (
  delete from invitations i using workspaces w, users u
  where (i.hash = $1 or i.mail_hash = $1) and i.expires_at > now() and w.id = i.workspace_id and w.deleting_at is null
    and u.id = $2 and u.email = i.email
  returning i.workspace_id, i.role, i.mail_hash = $1 as by_mail
), proven as (
  update users u set confirmed_at = now() from used where u.id = $2 and used.by_mail and u.confirmed_at is null
), joined as (
  insert into memberships (workspace_id, user_id, role) select workspace_id, $2, role from used
  on conflict (workspace_id, user_id) do nothing
)
select workspace_id, role, (select name from users where id = $2) from used;

-- people/links.go CreateLink
delete from sign_in_links where expires_at <= now();

-- people/links.go CreateLink
insert into sign_in_links (hash, user_id, expires_at) values ($1, $2, $3);

-- people/links.go HasUsers
select exists (select from users);

-- people/links.go Link
select coalesce(user_id, '00000000-0000-0000-0000-000000000000'::uuid), expires_at from sign_in_links where hash = $1 and expires_at > now();

-- people/links.go Redeem
delete from sign_in_links where hash = $1 and expires_at > now() returning coalesce(user_id, '00000000-0000-0000-0000-000000000000'::uuid);

-- people/links.go makeFirstOwner
lock table users in share row exclusive mode;

-- people/links.go makeFirstOwner
insert into users (id, email, name, password, is_operator, created_at, confirmed_at)
select $1, $2, $3, $4, true, $5, $5 where not exists (select from users);

-- people/links.go ownAtFirst
insert into workspaces (id, name, plan) select $1, $2, 'operator'
where not exists (select from workspaces where live_id is null and email is null and deleting_at is null);

-- people/links.go ownAtFirst
insert into memberships (workspace_id, user_id, role)
select id, $1, $2 from workspaces where live_id is null and email is null and deleting_at is null order by name limit $3
returning workspace_id;

-- people/members.go Members
select u.id, u.email, u.name, m.role, m.created_at,
  (select max(s.seen_at) from sessions s where s.user_id = u.id and s.workspace_id = m.workspace_id)
from memberships m join users u on u.id = m.user_id where m.workspace_id = $1 order by u.email limit $2;

-- people/members.go ChangeMember
update memberships set role = $3, given_by = null where workspace_id = $1 and user_id = $2;

-- people/members.go endKeys
update api_keys k set revoked_at = now() from workspaces w
where w.id = k.workspace_id and (w.id = $1 or w.live_id = $1) and k.made_by = $2 and k.revoked_at is null
returning k.id, k.name, k.workspace_id;

-- people/members.go lockMember
select u.name, m.role, (select count(*) from memberships o where o.workspace_id = m.workspace_id and o.role = $3)
from memberships m join users u on u.id = m.user_id
where m.workspace_id = $1 and m.user_id = $2;

-- people/members.go mayManage
select coalesce((select role from memberships where workspace_id = $1 and user_id = $2), 0);

-- people/members.go lockWorkspace
select from workspaces where id = $1 and live_id is null and deleting_at is null for no key update;

-- people/members.go withdrawBeyond
delete from invitations where workspace_id = $1 and invited_by = $2 and ($3::smallint < $4 or role > $3);

-- people/passkeys.go Passkeys
select id, user_id, name, credential_id, public_key, sign_count, transports, backup_eligible, created_at, used_at
from passkeys where user_id = $1 order by created_at, id;

-- people/passkeys.go Passkey
select id, user_id, name, credential_id, public_key, sign_count, transports, backup_eligible, created_at, used_at
from passkeys where credential_id = $1;

-- people/passkeys.go AddPasskey
select count(*) from passkeys where user_id = $1;

-- people/passkeys.go AddPasskey
insert into passkeys (id, user_id, credential_id, public_key, sign_count, transports, backup_eligible, name, created_at)
values (@id, @user, @credential, @key, @count, @transports, @eligible, @name, @at) on conflict (credential_id) do nothing;

-- people/passkeys.go RenamePasskey
select name from passkeys where user_id = $1 and id = $2 for update;

-- people/passkeys.go RenamePasskey
update passkeys set name = $2 where id = $1;

-- people/passkeys.go RemovePasskey
delete from passkeys where user_id = $1 and id = $2 returning name;

-- people/passkeys.go SignInByPasskey
select from users where id = $1 for key share;

-- people/passkeys.go countUse
update passkeys set sign_count = $2, used_at = $3 where id = $1 and (sign_count < $2 or sign_count = 0 and $2 = 0);

-- people/sessions.go Session
select s.id, s.user_id, u.email, u.name, u.is_operator, u.confirmed_at is not null, s.sandbox, s.seen_at, coalesce(s.proven_at, s.created_at), s.expires_at, s.means, s.provider, u.password is not null,
  live.id, scope.id, coalesce(live.name, ''), coalesce(m.role, 0), coalesce(p.posts_per_month, 0)
from sessions s
join users u on u.id = s.user_id
left join memberships m on m.user_id = s.user_id and m.workspace_id = s.workspace_id
left join workspaces live on live.id = m.workspace_id and live.deleting_at is null
left join workspaces scope on s.sandbox and scope.live_id = live.id or not s.sandbox and scope.id = live.id
left join plans p on p.name = live.plan
where s.hash = @hash and s.expires_at > now() and s.seen_at > now() - @idle::interval;

-- people/sessions.go see
update sessions set seen_at = now() where id = $1;

-- people/sessions.go beginSession
insert into sessions (id, user_id, hash, workspace_id, address, agent, means, provider, created_at, seen_at, expires_at)
select @id, @user, @hash, (
    select m.workspace_id from memberships m
    join workspaces w on w.id = m.workspace_id and w.deleting_at is null
    left join sessions before on before.user_id = m.user_id and before.workspace_id = m.workspace_id
    where m.user_id = @user order by before.seen_at desc nulls last, m.created_at, m.workspace_id limit 1
  ), @address, @agent, @means, @provider, @at, @at, @at::timestamptz + @life::interval;

-- people/sessions.go beginSession
delete from sessions where hash = $1;

-- people/sessions.go beginSession
delete from sessions where id in (select id from sessions where user_id = $1 order by seen_at desc, id desc offset $2);

-- people/sessions.go beginSession
delete from sessions where id in (
select id from sessions where seen_at <= now() - $1::interval order by seen_at limit 100 for update skip locked);

-- people/sessions.go beginSession
select name from users where id = $1;

-- people/sessions.go Sessions
select s.id, coalesce(w.name, ''), s.sandbox, s.address, s.agent, s.means, s.provider, s.created_at, s.seen_at, s.expires_at
from sessions s left join workspaces w on w.id = s.workspace_id
where s.user_id = $1 and s.expires_at > now() and s.seen_at > now() - $2::interval order by s.seen_at desc, s.id desc;

-- people/sessions.go prove
update sessions set proven_at = $2 where id = $1;

-- people/sessions.go EndSession
delete from sessions where user_id = $1 and id = $2 returning address;

-- people/sessions.go TurnSession
with member as (
  select s.id, m.workspace_id from sessions s
  join memberships m on m.user_id = s.user_id and m.workspace_id = $2
  join workspaces w on w.id = m.workspace_id and w.deleting_at is null
  where s.id = $1 for share of m
)
update sessions s set workspace_id = member.workspace_id, sandbox = $3 from member where s.id = member.id;

-- people/sign_in.go CountAttempt
select id, coalesce(password, '') from users where email = $1;

-- people/sign_in.go CountProof
select coalesce(password, '') from users where id = $1;

-- people/sign_in.go SignIn
select from users where id = $1 and password = $2 for share;

-- people/sign_in.go forgetWindow
delete from request_windows where subject = $1;

-- people/sign_in.go ChangePassword
update sessions set hash = $2 where id = $1;

-- people/sign_in.go setPassword
update users set password = $2 where id = $1;

-- people/sign_in.go setPassword
delete from sessions where user_id = $1 and id is distinct from $2;

-- people/sign_in.go setPassword
delete from sign_in_links where user_id = $1;

-- people/sign_in.go setPassword
delete from email_changes where user_id = $1;

-- people/sign_in.go setPassword
delete from ceremonies where user_id = $1;

-- people/users.go Memberships
select w.id, w.name, m.role from memberships m
join workspaces w on w.id = m.workspace_id and w.deleting_at is null
where m.user_id = $1 order by w.name limit 1000;

-- people/users.go Users
select id, email, name, is_operator, confirmed_at is not null, created_at from users where email > $1 order by email limit $2;

-- people/users.go UserOf
select id, email, name, is_operator, confirmed_at is not null, created_at from users where email = $1;

-- people/users.go LastOf
select u.is_operator and not exists (select from users o where o.is_operator and o.id <> u.id), array(
  select w.name from memberships m join workspaces w on w.id = m.workspace_id and w.deleting_at is null
  where m.user_id = u.id and m.role = $2
    and not exists (select from memberships o where o.workspace_id = m.workspace_id and o.role = $2 and o.user_id <> u.id)
  order by w.name)
from users u where u.id = $1;

-- people/users.go AddUser
insert into users (id, email, name, is_operator, created_at, confirmed_at) values (@id, @email, @name, @operator, @created, @created)
on conflict (email) do update set is_operator = users.is_operator or excluded.is_operator
returning id, email, name, is_operator, confirmed_at is not null, created_at;

-- people/users.go doubt
update users set password = null, confirmed_at = now() where id = $1 and confirmed_at is null returning name;

-- people/users.go doubt
delete from passkeys where user_id = $1;

-- people/users.go doubt
delete from identities where user_id = $1;

-- people/users.go doubt
delete from email_changes where user_id = $1;

-- people/users.go doubt
delete from ceremonies where user_id = $1;

-- people/users.go doubt
select from workspaces where id = any(array(select workspace_id from memberships where user_id = $1 and given_by is not null) || $2::uuid)
order by id for no key update;

-- people/users.go doubt
with ended as (
  delete from memberships where user_id = $1 and given_by is not null returning workspace_id, role
), withdrawn as (
  delete from invitations where invited_by = $1 and workspace_id in (select workspace_id from ended)
)
select workspace_id, role from ended;

-- people/users.go doubt
delete from sessions where user_id = $1;

-- people/users.go putMembership
with before as (select role from memberships where workspace_id = $1 and user_id = $2), given as (
  insert into memberships (workspace_id, user_id, role) values ($1, $2, $3)
  on conflict (workspace_id, user_id) do update set role = excluded.role, given_by = null
)
select coalesce((select role from before), 0);

-- people/users.go RemoveUser
select id from users where email = $1 for update;

-- people/users.go RemoveUser
select workspace_id, role from memberships where user_id = $1;

-- people/users.go RemoveUser
delete from invitations where invited_by = $1;

-- people/users.go RemoveUser
delete from device_requests where user_id = $1;

-- people/users.go RemoveUser
delete from mails where recipient = $1 or about = $2;

-- people/users.go RemoveUser
delete from mail_choices where email = $1;

-- people/users.go RemoveUser
delete from mail_recipients where email = $1;

-- people/users.go RemoveUser
delete from users where id = $1;

-- people/users.go RemoveUser
update audit set subject_name = $3 where subject = 'user' and subject_id = $1 or subject = 'invitation' and subject_name = $2;

-- postpone.go postponeTargets
update targets t set next_at = least(now() + u.wait, coalesce(p.retried_for, p.scheduled_for) + @late::interval + interval '1 second') from unnest(@posts::uuid[], @ns::int2[], @versions::int[], @waits::interval[]) u (post, n, version, wait)
  join posts p on p.id = u.post and p.version = u.version
  where t.post_id = u.post and t.n = u.n and p.status in (2, 3) and t.state = 0 and t.step <> 2
    and (t.next_at is null or t.next_at <= least(now(), @due::timestamptz) + interval '100 milliseconds')
    and coalesce(p.retried_for, p.scheduled_for) + @late::interval > now()
returning t.post_id, t.n, t.version, t.entry, t.attempts, t.next_at;

-- postpone.go selectTargetTurns
select t.post_id, t.n, t.version, t.entry, t.attempts, least(now() + u.wait, coalesce(p.retried_for, p.scheduled_for) + @late::interval + interval '1 second') from targets t, unnest(@posts::uuid[], @ns::int2[], @versions::int[], @waits::interval[]) u (post, n, version, wait)
join posts p on p.id = u.post and p.version = u.version
where t.post_id = u.post and t.n = u.n and p.status in (2, 3) and t.state = 0 and t.step <> 2
  and (t.next_at is null or t.next_at <= least(now(), @due::timestamptz) + interval '100 milliseconds')
  and coalesce(p.retried_for, p.scheduled_for) + @late::interval > now();

-- postpone.go Postpone
update jobs j set due_at = c.next_at, held = false,
  overdue_since = coalesce(j.overdue_since, uuid_extract_timestamp(j.id) + @delay::interval)
from comments c
where j.id = any(@ids) and c.id = j.id
returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload;

-- postpone.go postponeComments
update comments c set next_at = least(now() + u.wait, uuid_extract_timestamp(c.id) + @delay::interval + @late::interval + interval '1 second') from unnest(@ids::uuid[], @waits::interval[]) u (id, wait)
  where c.id = u.id and c.state = 0 and c.step <> 2 and (c.next_at is null or c.next_at <= least(now(), @due::timestamptz) + interval '100 milliseconds')
    and uuid_extract_timestamp(c.id) + @delay::interval + @late::interval > now()
returning c.id, coalesce(c.post_id, '00000000-0000-0000-0000-000000000000'::uuid), c.n, c.position, c.entry, c.attempts, c.next_at;

-- postpone.go selectCommentTurns
select c.id, coalesce(c.post_id, '00000000-0000-0000-0000-000000000000'::uuid), c.n, c.position, c.entry, c.attempts, least(now() + u.wait, uuid_extract_timestamp(c.id) + @delay::interval + @late::interval + interval '1 second') from comments c, unnest(@ids::uuid[], @waits::interval[]) u (id, wait)
where c.id = u.id and c.state = 0 and c.step <> 2 and (c.next_at is null or c.next_at <= least(now(), @due::timestamptz) + interval '100 milliseconds')
  and uuid_extract_timestamp(c.id) + @delay::interval + @late::interval > now();

-- posts/attempts.go Attempts
select a.at, a.kind, a.n, a.comment, a.entry, a.attempts, a.code, a.message, a.next_at
from all_posts p join attempts a on a.post_id = p.id
where p.id = $1 and p.workspace_id = $2 order by a.at limit $3;

-- posts/create.go selectAnswers
select i.lineage, i.key, i.fingerprint, i.response
from unnest($1::uuid[], $2::text[]) u (lineage, key)
join idempotency i on i.lineage = u.lineage and i.key = u.key;

-- posts/create.go tookPlace
select exists (select from pg_stat_activity where pid = $1 and state <> 'idle');

-- posts/create.go tookPlace
select exists (select from posts where id = $1);

-- posts/create.go Answer
select fingerprint, response from idempotency
where lineage = $1 and key = $2 and created_at >= now() - interval '24 hours';

-- posts/list.go indexesAlone
select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true);

-- posts/list.go inOrder
select p.id, p.workspace_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), p.version, p.status, p.scheduled_for, p.timezone,
p.from_api, p.content, p.created_at, p.updated_at from all_posts p where p.id = any($1) and p.workspace_id = $2;

-- posts/list.go page
select (select count(*) from;

-- posts/list_sources.go platformSets
select p.platforms from;

-- posts/list_sources.go historySource
select platforms, status from found,;

-- posts/lookup.go Lookup
select p.id, null from all_posts p where p.id = any(@ids::uuid[]) and p.workspace_id = @workspace
union all
select x.id, e.external_id from unnest(@external::text[]) e (external_id) cross join lateral (
  (select p.id from posts p where p.workspace_id = @workspace and p.external_id = e.external_id
    order by p.status in (4, 5, 6, 7), p.id limit 3)
  union all
  (select p.id from posts_history p where p.workspace_id = @workspace and p.external_id = e.external_id limit 1)
) x
order by 1;

-- posts/posts.go Post
select p.id, p.workspace_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), p.version, p.status, p.scheduled_for, p.timezone,
p.from_api, p.content, p.created_at, p.updated_at from all_posts p where p.id = $1 and p.workspace_id = $2;

-- posts/posts.go lock
select p.id, p.workspace_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), p.version, p.status, p.scheduled_for, p.timezone,
p.from_api, p.content, p.created_at, p.updated_at from posts p where p.id = $1 and p.workspace_id = $2 for no key update;

-- posts/posts.go replace
update posts set brand_id = @brand, version = @version, status = @status, scheduled_for = @scheduled, timezone = @timezone,
platforms = @platforms, content = @content, left_n = @left, updated_at = @now, edited_at = @now, draft = @draft where id = @id;

-- posts/posts.go replace
delete from targets where post_id = $1;

-- posts/posts.go replace
delete from jobs where id = $1;

-- posts/posts.go queueSlot
delete from queue_slots where post_id = $1;

-- posts/posts.go Delete
delete from targets where post_id = $1;

-- posts/posts.go Delete
delete from attempts where post_id = $1;

-- posts/posts.go Delete
delete from posts where id = $1;

-- posts/posts.go Delete
delete from queue_slots where post_id = $1;

-- posts/retry.go queueRetry
delete from jobs where id = $1;

-- posts/retry.go queue
update posts set version = @version, status = @status, left_n = @left, failed_n = failed_n - @left, retried_for = @due, updated_at = @now,
  edited_at = @now
where id = @post;

-- posts/retry.go queue
update targets set version = $2 where post_id = $1;

-- posts/retry.go queue
update targets t set state = 0, step = case when t.since is null then 0 else u.step end, entry = u.entry,
  receipts = u.receipts::json, next_at = @due, attempts = 0, looked = 0,
  since = case when u.step = 2 or u.unsettled <> 0 then t.since end, unsettled = u.unsettled, accept_duplicate = @accept,
  progress = case when u.step = 2 and u.entry = t.entry then t.progress end, lease_until = null, posted_at = null, charged_on = u.charged
from unnest(@ns::int2[], @entries::int2[], @receipts::text[], @steps::int2[], @unsettled::int4[], @days::date[])
  u (n, entry, receipts, step, unsettled, charged)
where t.post_id = @post and t.n = u.n;

-- posts/search.go contents
select id, content, targets from (;

-- publish.go lockScheduled
select from posts p join unnest(@posts::uuid[], @versions::int[]) u (id, version) on p.id = u.id and p.version = u.version
where p.status = 2 order by p.id for no key update of p;

-- publish.go beginPosts
update posts p set status = 3, updated_at = now()
from unnest(@posts::uuid[], @ns::int2[], @versions::int[]) u (id, n, version)
where p.id = u.id and p.version = u.version and p.status = 2
  and exists (select from targets t where t.post_id = u.id and t.n = u.n and (t.state <> 0 or (t.next_at is null or t.next_at <= least(now(), @due::timestamptz) + interval '100 milliseconds')))
  and ((select not exists (select from holds)) or (not (exists (select from holds h where h.subject = p.id) or exists (select from restores r where r.ended_at is null and p.id <= r.last_id
  and not exists (select from restore_releases x where x.post_id = p.id)))
  and exists (select from targets t where t.post_id = p.id and t.state in (0, 1)
    and (not (exists (select from holds h where h.subject = any (array[p.workspace_id, t.account_id]))
  or t.platform = any (array(select h.platform from holds h where h.platform is not null))) or coalesce(p.retried_for, p.scheduled_for) + @late::interval < now()))));

-- publish.go claimTargets
update targets t set
  state = 1, claim = t.claim + 1, node = @node, token = u.token,
  lease_until = now() + case when t.step = 0 then @prepare_lease::interval else @lease::interval end,
  step = case when t.state = 1 and t.step = 1
    and not (u.takeover and t.token is not distinct from u.token) then 2 else t.step end,
  since = coalesce(t.since, case when t.step = 1 then now() end)
from unnest(@posts::uuid[], @ns::int2[], @versions::int[], @tokens::int8[], @takeovers::bool[]) u (post, n, version, token, takeover)
join posts p on p.id = u.post and p.version = u.version
join accounts a on true
join workspaces w on w.id = a.workspace_id
where t.post_id = u.post and t.n = u.n and t.version = u.version and a.id = t.account_id and p.status = 3
  and ((t.state = 0 and (t.next_at is null or t.next_at <= least(now(), @due::timestamptz) + interval '100 milliseconds'))
  or (t.state = 1 and (t.lease_until + @settle::interval < least(now(), @latest::timestamptz) or (u.takeover and t.token = u.token))))
  and ((select not exists (select from holds)) or (not (exists (select from holds h where h.subject = p.id) or exists (select from restores r where r.ended_at is null and p.id <= r.last_id
  and not exists (select from restore_releases x where x.post_id = p.id)))
    and (not (exists (select from holds h where h.subject = any (array[p.workspace_id, a.id]))
  or a.platform = any (array(select h.platform from holds h where h.platform is not null))) or coalesce(p.retried_for, p.scheduled_for) + @late::interval < now())))
returning t.post_id, t.n, t.version, t.claim, t.step, t.entry, t.attempts, t.looked, t.since, t.progress, t.error, t.receipts, t.unsettled,
  t.accept_duplicate, t.content, p.content, coalesce(p.retried_for, p.scheduled_for), (t.step = 2 and exists (select from restores r where r.restored_to >= t.since)), a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits, (exists (select from holds h where h.subject = any (array[p.workspace_id, a.id]))
  or a.platform = any (array(select h.platform from holds h where h.platform is not null)));

-- queues/queues.go Queues
select q.id, q.workspace_id, coalesce(q.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), q.name, q.timezone, q.slots, q.is_default, q.created_at, q.updated_at from queues q where q.workspace_id = $1 order by q.id;

-- queues/queues.go Queue
select q.id, q.workspace_id, coalesce(q.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), q.name, q.timezone, q.slots, q.is_default, q.created_at, q.updated_at from queues q where q.id = $1 and q.workspace_id = $2;

-- queues/queues.go CreateQueue
select count(*), coalesce(bool_or(is_default and brand_id is not distinct from $2), false)
from queues where workspace_id = $1;

-- queues/queues.go CreateQueue
insert into queues (id, workspace_id, brand_id, name, timezone, slots, is_default, created_at, updated_at)
values (@id, @workspace, @brand, @name, @timezone, @slots, @default, @created, @updated);

-- queues/queues.go UpdateQueue
select q.id, q.workspace_id, coalesce(q.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), q.name, q.timezone, q.slots, q.is_default, q.created_at, q.updated_at from queues q where q.id = $1 and q.workspace_id = $2 for no key update;

-- queues/queues.go UpdateQueue
update queues set name = @name, timezone = @timezone, slots = @slots, is_default = @default, updated_at = @updated
where id = @id;

-- queues/queues.go lockQueues
select from workspaces where id = $1 for no key update;

-- queues/queues.go yieldDefault
update queues set is_default = false
where workspace_id = $1 and brand_id is not distinct from $2 and id <> $3 and is_default;

-- queues/queues.go DeleteQueue
delete from queues where id = $1 and workspace_id = $2 returning name;

-- queues/queues.go DeleteQueue
delete from queue_slots where queue_id = $1;

-- queues/slots.go TakeSlots
delete from queue_slots where queue_id = $1 and slot_at < now();

-- queues/slots.go ReleaseSlots
delete from queue_slots s where s.post_id = any($1) and not exists (select from posts p where p.id = s.post_id);

-- receipts.go takenReceipts
select u.i - 1 from unnest(@accounts::uuid[], @native_ids::text[], @owners::uuid[], @ns::int2[], @entries::int2[]) with ordinality u (account, native_id, owner, n, entry, i)
join accounts a on a.id = u.account
join workspaces w on w.id = a.workspace_id
join receipts r on r.profile = substr(sha256(convert_to(a.platform || ' ' || case when w.live_id is null then a.server else w.id::text end || ' '
  || coalesce(nullif(a.native_id, ''), a.id::text), 'UTF8')), 1, 16) and r.native_id = u.native_id
where (r.owner, r.n, r.entry) <> (u.owner, u.n, u.entry) order by u.i;

-- refresh.go claim
delete from jobs j using accounts a
where j.id = any($1) and a.id = j.id and (a.renew_at is null or a.disconnected_at is not null);

-- refresh.go claimRenewals
update accounts a set
  renew_claim = a.renew_claim + 1, renew_node = @node, renew_lease = now() + @lease::interval,
  renew_token = u.token, renew_from = since.step,
  renew_step = case when since.trades then 1 else a.renew_step end
from unnest(@accounts::uuid[], @workspaces::uuid[], @tokens::int8[], @takeovers::bool[]) u (account, workspace, token, takeover)
join accounts before on before.id = u.account
join workspaces w on w.id = u.workspace
cross join lateral (
  select case when u.takeover and before.renew_lease is not null and before.renew_token = u.token
    then before.renew_from else before.renew_step end step
) from_step
cross join lateral (
  select from_step.step, before.renewable and (from_step.step = 2 or from_step.step = 0
    and (before.renew_asked_at is not null or before.needs_reconnect or before.ended <> 0 or before.expires_at is null
      or before.expires_at <= now() + @earliest::interval)) trades
) since
where a.id = u.account and a.workspace_id = u.workspace and a.disconnected_at is null
  and a.renew_at <= now() + interval '100 milliseconds'
  and (a.renew_lease is null or (a.renew_lease + @settle::interval < least(now(), @latest::timestamptz) or (u.takeover and a.renew_token = u.token)))
returning a.id, a.workspace_id, coalesce(a.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), a.platform, a.native_id, a.name, a.server,
w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
coalesce(a.expires_at, '0001-01-01Z'::timestamptz), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, '0001-01-01Z'::timestamptz),
a.ended, coalesce(a.end_message, ''), w.limits, a.renew_claim, since.trades, since.step = 1,
  since.step = 3, a.renew_attempts, coalesce(a.warned_of = a.expires_at, false);

-- refresh.go finishRenewal
update accounts set
  sealed = case when @traded then @sealed::bytea else sealed end,
  revision = case when @traded then revision + 1 else revision end,
  expires_at = @expires, renewable = @renewable, settings = coalesce(@settings::text::json, settings),
  name = coalesce(nullif(@name, ''), name),
  checked_at = case when @good then now() else checked_at end,
  renew_asked_at = case when @settled then null else renew_asked_at end,
  needs_reconnect = @reconnect, ended = @ended, end_message = @end_message,
  warned_of = case when @warn then @expires else warned_of end,
  renew_step = @step, renew_attempts = @attempts, renew_at = @next, renew_lease = null
where id = @account and workspace_id = @workspace and revision = @revision and disconnected_at is null and (renew_claim = @claim or @traded);

-- restores/findings.go AddEvents
insert into restore_looks (account_id, disconnected_at) select $1, $2 where exists (select from accounts where id = $1)
on conflict (account_id) do update set disconnected_at = excluded.disconnected_at;

-- restores/findings.go AddEvents
insert into restore_findings (post_id, n, kind, at)
select u.post, coalesce(t.n, -1), u.kind, max(u.at)
from unnest($1::uuid[], $2::uuid[], $3::int2[], $4::timestamptz[]) u (post, account, kind, at)
left join targets t on t.post_id = u.post and t.account_id = u.account
where u.post <= $5
group by 1, 2, 3
on conflict (post_id, n, kind) do nothing;

-- restores/findings.go EventsRead
update restores set events_until = $2 where restored_to = $1;

-- restores/findings.go Lease
update restores set looking_until = now() + $2::interval
where restored_to = $1 and ended_at is null and (looking_until is null or looking_until < now() or looking_until = $3)
returning looking_until;

-- restores/findings.go ToLook
select a.id, a.workspace_id, a.platform from accounts a left join restore_looks l on l.account_id = a.id
where a.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'::uuid) and a.disconnected_at is null
  and l.looked_upto is null and (l.tried_at is null or l.tried_at < now() - $2::interval)
  and a.created_at < $3
order by a.id limit $4;

-- restores/findings.go AddFindings
insert into restore_findings (post_id, n, kind, at, native_id, url) values ($1, $2, $3, $4, $5, $6)
on conflict (post_id, n, kind) do update set at = excluded.at, native_id = excluded.native_id, url = excluded.url;

-- restores/findings.go Looked
insert into restore_looks as l (account_id, tried_at, looked_upto, error)
values ($1, now(), case when $3 = '' then coalesce($2, 'infinity'::timestamptz) end, $3)
on conflict (account_id) do update set tried_at = now(), looked_upto = excluded.looked_upto, error = excluded.error;

-- restores/findings.go CannotLook
insert into restore_looks (account_id, tried_at, looked_upto) values ($1, now(), '-infinity')
on conflict (account_id) do update set tried_at = now(), looked_upto = '-infinity';

-- restores/held.go next
select id from posts where id > $1 and id <= $2 order by id offset $3 limit 1;

-- restores/held.go inOrder
select id, name, live_id is not null from workspaces where id = any($1);

-- restores/mark.go Adopt
select to_regclass('restored_backup') is not null;

-- restores/mark.go Adopt
select at from restored_backup;

-- restores/mark.go Adopt
drop table restored_backup;

-- restores/mark.go mark
select exists (select from restores where restored_to = $1);

-- restores/mark.go mark
update restores set ended_at = now() where ended_at is null;

-- restores/mark.go mark
truncate restore_releases, restore_findings, restore_looks;

-- restores/mark.go mark
delete from sessions;

-- restores/mark.go mark
delete from sign_in_links;

-- restores/mark.go mark
delete from invitations;

-- restores/mark.go mark
delete from device_requests;

-- restores/mark.go mark
delete from ceremonies;

-- restores/mark.go mark
truncate mails, email_changes;

-- restores/mark.go mark
insert into restores (restored_to, last_id)
select $1, coalesce((select id from (
  (select id from posts order by id desc limit 1) union all
  (select id from comments order by id desc limit 1) union all
  (select id from api_keys order by id desc limit 1)
) ids order by id desc limit 1), '00000000-0000-0000-0000-000000000000'::uuid);

-- restores/mark.go mark
insert into holds (subject, kind, reason) values ('00000000-0000-0000-0000-000000000000'::uuid, $1, $2)
on conflict (subject, kind) do update set reason = excluded.reason, created_at = now();

-- restores/mark.go tellRestore
select now(), to_regclass('audit_' || to_char(now() at time zone 'UTC', 'YYYYMM')) is not null;

-- restores/mark.go Held
select restored_to, marked_at, last_id, events_until from restores where ended_at is null;

-- restores/mark.go End
with ended as (
  update comments c set state = 3, claim = claim + 1, lease_until = null, error = $2::text::json
  where c.post_id is null and c.id <= $1 and c.state in (0, 1) returning c.id
)
delete from jobs j using ended where j.id = ended.id;

-- restores/mark.go End
update restores set ended_at = now() where restored_to = $1;

-- restores/mark.go End
delete from holds where kind = $1;

-- restores/mark.go End
truncate restore_releases, restore_findings, restore_looks;

-- restores/mark.go ConfirmKeys
update api_keys k set confirmed_at = now() from workspaces w
where w.id = k.workspace_id and ($1::uuid is null or $1 in (w.id, w.live_id)) and k.revoked_at is null and exists (select from restores r where k.id <= r.last_id and coalesce(k.confirmed_at < r.marked_at, true));

-- restores/mark.go Undone
select (select count(*) from api_keys k where k.revoked_at is null and exists (select from restores r where k.id <= r.last_id and coalesce(k.confirmed_at < r.marked_at, true))),
(select count(*) from accounts where disconnected_at is null);

-- restores/mark.go Newest
select last, (select max(marked_at) from restores), not exists (select from posts) from event_positions where id;

-- restores/mark.go Unknown
select u.id from unnest($1::uuid[]) u (id) where not exists (select from outbox o where o.id = u.id);

-- restores/posts.go withContent
select p.id, p.workspace_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'::uuid), p.version, p.status, p.scheduled_for, p.timezone,
p.from_api, p.content, p.created_at, p.updated_at from posts p where p.id = any($1);

-- restores/posts.go withContent
select post_id, n, kind, at, native_id, url from restore_findings where post_id = any($1) order by post_id, at, kind, n;

-- restores/posts.go Looks
select count(*), count(*) filter (where l.looked_upto > '-infinity'), count(*) filter (where l.looked_upto = '-infinity')
from accounts a left join restore_looks l on l.account_id = a.id where a.disconnected_at is null and a.created_at < $1;

-- restores/posts.go Looks
select account_id, error from restore_looks where error <> '' order by account_id limit $1;

-- result_rows.go queue
update targets t set charged_on = null
from unnest($1::uuid[], $2::int2[]) u (post, n) where t.post_id = u.post and t.n = u.n;

-- result_rows.go finishTargets
with taken as (
  update targets t set
    state = u.state, step = u.step, entry = u.entry, attempts = u.attempts, looked = u.looked,
    since = case when u.fresh then null else t.since end,
    next_at = now() + nullif(u.next, 0) * interval '1 second', lease_until = null,
    progress = u.progress::json, receipts = u.receipts::json, error = u.error::json, posted_at = u.posted,
    unsettled = u.unsettled
  from unnest(@posts::uuid[], @ns::int2[], @claims::int[], @states::int2[], @steps::int2[], @entries::int2[], @attempts::int2[],
    @looked::int2[], @fresh::bool[], @next::float8[], @progresses::text[], @receipts::text[], @errors::text[], @posted::timestamptz[],
    @unsettled::int4[])
    u (post, n, claim, state, step, entry, attempts, looked, fresh, next, progress, receipts, error, posted, unsettled)
  where t.post_id = u.post and t.n = u.n and t.claim = u.claim and t.state = 1
  returning t.post_id, t.n, t.state, t.charged_on
), counted as (
  select post_id, count(*) filter (where state = 2) posted, count(*) filter (where state = 3) failed
  from taken group by post_id having bool_or(state in (2, 3))
), changed as (
  update posts p set
    left_n = p.left_n - c.posted - c.failed, posted_n = p.posted_n + c.posted, failed_n = p.failed_n + c.failed,
    updated_at = now(),
    status = case
      when p.left_n - c.posted - c.failed > 0 then p.status
      when p.failed_n + c.failed = 0 then 4
      when p.posted_n + c.posted = 0 then 6
      else 5 end
  from counted c where p.id = c.post_id
  returning p.id, p.workspace_id, p.status, p.scheduled_for, p.left_n
), noted as (insert into ended_posts as e (post_id, workspace_id, status, scheduled_for, ended_at)
select id, workspace_id, status, scheduled_for, now() from changed where left_n = 0 and status in (4, 5, 6, 7)
on conflict (post_id) do update set status = excluded.status, scheduled_for = excluded.scheduled_for, ended_at = excluded.ended_at)
select post_id, n, charged_on from taken;

-- sealed.go SealedAccounts
select id, workspace_id, platform, sealed from accounts where sealed <> '' limit $1;

-- sealed.go KeysetKeys
select unnest(keys) from installation_keyset;

-- sealed.go BindKeyset
insert into installation_keyset (keys) values ($1) on conflict do nothing;

-- stop.go BringForward
with late as (
  select id from jobs where id = any($1) and due_at > now() - interval '1 second' and not held order by id for no key update
)
update jobs j set due_at = now() from late where j.id = late.id
returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload;

-- stop.go GiveBack
update deliveries set state = 0, lease_until = null, next_at = now()
where id = $1 and state = 1 and claim = $2;

-- stop.go GiveBack
update jobs j set due_at = now() from deliveries d
where j.id = $1 and d.id = j.id and d.state = 0
returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload;

-- store.go Hosts
select id, platform, server from accounts where id = any(@accounts::uuid[]);

-- taken_down.go Published
select r.owner, r.n, r.entry, r.native_id from accounts a
join workspaces w on w.id = a.workspace_id
join receipts r on r.profile = substr(sha256(convert_to(a.platform || ' ' || case when w.live_id is null then a.server else w.id::text end || ' '
|| coalesce(nullif(a.native_id, ''), a.id::text), 'UTF8')), 1, 16) and r.seen_at > now() - $2::interval
where a.id = $1 order by r.seen_at desc limit $3;

-- webhooks/deliveries.go selectDeliveries
select d.id, d.event, d.event_id, d.state, coalesce(d.response_code, 0), coalesce(d.response_ms, 0), d.attempts,
d.error, d.response, d.delivered_at, d.redelivers from deliveries d
where d.webhook_id = @webhook and d.workspace_id = @workspace
  and (cardinality(@states::int2[]) = 0 or d.state = any(@states))
  and (@event::text = '' or d.event = @event) and (@event_id::uuid is null or d.event_id = @event_id)
  and (@after::uuid is null or d.id >= @after) and (@before::uuid is null or d.id < @before) and (@below::uuid is null or d.id < @below)
  and (not @tried::bool or d.attempts > 0 or d.state = 3)
order by d.id desc limit @limit;

-- webhooks/deliveries.go Delivery
select d.id, d.event, d.event_id, d.state, coalesce(d.response_code, 0), coalesce(d.response_ms, 0), d.attempts,
d.error, d.response, d.delivered_at, d.redelivers, d.body from deliveries d
  where d.id = $1 and d.webhook_id = $2 and d.workspace_id = $3;

-- webhooks/deliveries.go Redeliver
select event_id from deliveries where id = $1 and webhook_id = $2 and workspace_id = $3;

-- webhooks/deliveries.go Redeliver
select id from deliveries
where event_id = $1 and webhook_id = $2 and (state in (0, 1) or (redelivers is not null and id >= $3))
order by id desc limit 1;

-- webhooks/deliveries.go RedeliverFailed
select d.id from deliveries d
where d.webhook_id = $1 and d.workspace_id = $2 and d.id >= $3 and d.id < $4 and d.state = 3
  and not exists (
  select from deliveries o
  where o.event_id = d.event_id and o.webhook_id = d.webhook_id and (o.state <> 3 or o.id > d.id))
order by d.id limit $5;

-- webhooks/deliveries.go lockActive
select active, disabled_reason from webhooks where id = $1 and workspace_id = $2 for no key update;

-- webhooks/redelivery.go beginRedelivery
insert into redeliveries (webhook_id, after_id, until_id, looked_at) values ($1, $2, $3, 'epoch')
on conflict (webhook_id) do update set
  after_id = excluded.after_id, until_id = excluded.until_id, looked_at = excluded.looked_at;

-- webhooks/secrets.go RotateSecret
select id, workspace_id, url, events, secret, active, created_at, last_delivered_at,
consecutive_failures, disabled_at, disabled_reason, previous_secret from webhooks where id = $1 and workspace_id = $2 for no key update;

-- webhooks/secrets.go RotateSecret
update webhooks set secret = $2, previous_secret = $3, previous_until = $4 where id = $1;

-- webhooks/webhooks.go CreateWebhook
insert into webhooks (id, workspace_id, url, events, secret, active, created_at)
values (@id, @workspace, @url, @events, @secret, @active, @created);

-- webhooks/webhooks.go webhookByID
select id, workspace_id, url, events, secret, active, created_at, last_delivered_at,
consecutive_failures, disabled_at, disabled_reason, previous_secret from webhooks where id = $1 and workspace_id = $2;

-- webhooks/webhooks.go Webhooks
select id, workspace_id, url, events, secret, active, created_at, last_delivered_at,
consecutive_failures, disabled_at, disabled_reason, previous_secret from webhooks where workspace_id = $1 order by id;

-- webhooks/webhooks.go UpdateWebhook
select id, workspace_id, url, events, secret, active, created_at, last_delivered_at,
consecutive_failures, disabled_at, disabled_reason, previous_secret from webhooks where id = $1 and workspace_id = $2 for update;

-- webhooks/webhooks.go UpdateWebhook
update webhooks set url = @url, events = @events, active = @active, consecutive_failures = @failures,
  disabled_at = @disabled, disabled_reason = @reason, enablings = enablings + (@active and not active)::int
where id = @id;

-- webhooks/webhooks.go DeleteWebhook
delete from webhooks where id = $1 and workspace_id = $2 returning url;

-- webhooks/webhooks.go DeleteWebhook
insert into deleted_webhooks (id) values ($1);
