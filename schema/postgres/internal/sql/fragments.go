package sql

// fragment is a part that several statements share.
type fragment struct {
	parameters []string // names in the text for what the statement says: the alias of a table, mostly
	text       string
}

// fragments are all there are. Each says of which aliases it speaks.
var fragments = map[string]fragment{
	// Posts, targets and comments.

	// post_columns is what tables.ScanPost reads, of posts p.
	"post_columns": {text: `p.id, p.workspace_id, coalesce(p.brand_id, {no_id}), p.version, p.status, p.scheduled_for, p.timezone,
	p.from_api, p.content, p.created_at, p.updated_at`},
	// target_columns is what tables.ScanTarget reads, of targets t.
	"target_columns": {text: `t.post_id, t.n, t.account_id, t.platform, t.content, t.state, t.receipts, t.error,
	t.next_at, t.attempts, t.posted_at, t.charged_on, t.entry, t.unsettled`},
	// post_row is all columns that posts and posts_history both have, except generated ones; so have the next two.
	"post_row": {text: `id, workspace_id, brand_id, version, status, scheduled_for, retried_for, timezone, from_api, platforms, content,
		left_n, posted_n, failed_n, created_at, updated_at`},
	// target_row is those of targets.
	"target_row": {text: `post_id, n, version, account_id, platform, content, state, step, entry, claim, node, lease_until, since, next_at,
		attempts, looked, progress, receipts, error, posted_at, charged_on, token, unsettled, accept_duplicate`},
	// comment_row is those of comments.
	"comment_row": {text: `id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
		attempts, looked, native_id, url, error, posted_at, token`},
	// note_ended is the end of a statement that may end posts: it notes those of "changed" that have ended, for the
	// archive and for lists.
	"note_ended": {text: `insert into ended_posts as e (post_id, workspace_id, status, scheduled_for, ended_at)
	select id, workspace_id, status, scheduled_for, now() from changed where left_n = 0 and status in {ended_posts}
	on conflict (post_id) do update set status = excluded.status, scheduled_for = excluded.scheduled_for, ended_at = excluded.ended_at`},
	// used_by_unfinished is true if a post that has not ended uses the media m.
	"used_by_unfinished": {text: `exists (
	select from media_uses u join posts p on p.id = u.post_id
	where u.media_id = m.id and p.workspace_id = m.workspace_id and p.status in {unfinished_posts})`},
	// upload_columns is what an upload is read from, of media m.
	"upload_columns": {text: `m.id, m.workspace_id, m.state, m.secret, m.announced, m.facts, m.alt_text, m.file_name, m.created_at,
	case when exists (select from media_uses u where u.media_id = m.id) then null else m.expires_at end`},

	// Claims.

	// claimable is true if a target, a first comment or a delivery may be claimed: it is pending and due, or its claim has
	// ended. claim_ended says what else the statement has to have.
	"claimable": {[]string{"row"}, `(({row}.state = {target_pending} and {is_due({row})})
		or ({row}.state = {target_claimed} and {claim_ended({row}.lease_until, {row}.token)}))`},
	// is_due is true of what does not wait for a time of its own, by the server's clock and by @due (see clock.Due). A
	// message may come early by as much as clocks and rounding differ, so that a job which fires on time is not
	// postponed.
	"is_due": {[]string{"row"}, `({row}.next_at is null or {row}.next_at <= least(now(), @due::timestamptz) + interval '100 milliseconds')`},
	// claim_ended is true if the claim with that lease and token has ended: its lease has been over for @settle, by the
	// server's clock and by @latest (see clock.Lease), or its own claimant takes it over because the answer was
	// lost. It needs rows u of what is claimed: each with the claim's token, and with takeover where the token is
	// that of a lost one.
	"claim_ended": {[]string{"lease", "token"}, `({lease} + @settle::interval < least(now(), @latest::timestamptz) or (u.takeover and {token} = u.token))`},
	// step_of_claim is the step of a claim of a target or a first comment: if an earlier claim of a visible call is still
	// open, its outcome is looked for, unless it is this process's own claim whose answer was lost (as in
	// claim_ended).
	"step_of_claim": {[]string{"row"}, `case when {row}.state = {target_claimed} and {row}.step = {step_publish}
			and not (u.takeover and {row}.token is not distinct from u.token) then {step_find} else {row}.step end`},
	// step_after_fault is the step of a target or a first comment whose claim a fault has ended. If the claim is not
	// known (number 0), a call may have been made under it.
	"step_after_fault": {[]string{"row"}, `case when {row}.state = {target_claimed} and {row}.step = {step_publish}
			and (@called or @claim = 0) then {step_find} else {row}.step end`},
	// held_by_claim is true of targets or comments under the claim of number @claim; without a number, of those that are
	// not claimed or are claimed by this node, which could not read what it claimed.
	"held_by_claim": {[]string{"row"}, `(({row}.state = {target_claimed} and {row}.claim = @claim) or (@claim = 0 and ({row}.state = {target_pending}
		or ({row}.state = {target_claimed} and ({row}.lease_until < now() or {row}.node = @node)))))`},
	// delivery_columns is what Publish.scanDelivery reads, of targets t, posts p, accounts a and their workspaces w.
	"delivery_columns": {text: `t.post_id, t.n, t.version, t.claim, t.step, t.entry, t.attempts, t.looked, t.since, t.progress, t.error, t.receipts, t.unsettled,
		t.accept_duplicate, t.content, p.content, coalesce(p.retried_for, p.scheduled_for), {restored_since(t)}, {account_columns}`},
	// restored_since is true if the call that is looked for, of a target or a first comment, was begun before a moment
	// that the database went back to: what was called for afterwards is not known.
	"restored_since": {[]string{"row"}, `({row}.step = {step_find} and exists (select from restores r where r.restored_to >= {row}.since))`},
	// opens_at is when a target or a first comment can go on: at the end of its lease or of its wait; null if it waits
	// for neither.
	"opens_at": {[]string{"row"}, `case when {row}.state = {target_claimed} then {row}.lease_until + @settle::interval else {row}.next_at end`},
	// free_collection is true of collections c that may be claimed. When one is due is no column of an index here, so
	// that what is claimed by its id is not looked for among all that is due, as the planner has it without
	// statistics.
	"free_collection": {text: `coalesce(c.due_at, 'infinity') <= @now::timestamptz + interval '100 milliseconds' and (c.lease_until is null or c.lease_until < @now::timestamptz)`},

	// Waits before a claim.

	// waiting_targets is rows u of targets t for which a claim would have to wait, with their posts p.
	"waiting_targets": {text: `unnest(@posts::uuid[], @ns::int2[], @versions::int[], @waits::interval[]) u (post, n, version, wait)
			join posts p on p.id = u.post and p.version = u.version
			where t.post_id = u.post and t.n = u.n and p.status in {open_posts} and t.state = {target_pending} and t.step <> {step_find}
			  and {is_due(t)}
			  and coalesce(p.retried_for, p.scheduled_for) + @late::interval > now()`},
	// targets_turn is when the wait of a row of waiting_targets ends: at the latest a second after the deadline, when any
	// claim lets it through.
	"targets_turn": {text: `least(now() + u.wait, coalesce(p.retried_for, p.scheduled_for) + @late::interval + interval '1 second')`},
	// waiting_comments is rows u of comments c for which a claim would have to wait.
	"waiting_comments": {text: `unnest(@ids::uuid[], @waits::interval[]) u (id, wait)
			where c.id = u.id and c.state = {comment_pending} and c.step <> {step_find} and {is_due(c)}
			  and uuid_extract_timestamp(c.id) + @delay::interval + @late::interval > now()`},
	// comments_turn is when the wait of a row of waiting_comments ends.
	"comments_turn": {text: `least(now() + u.wait, uuid_extract_timestamp(c.id) + @delay::interval + @late::interval + interval '1 second')`},

	// Holds.

	// hold_columns is what tables.ScanHold reads, of holds h.
	"hold_columns": {text: `coalesce(h.subject, {no_id}), coalesce(h.platform, 0), h.kind, h.reason, h.created_at`},
	// paused is true if the work of a workspace for an account of a platform is paused. The table of holds is small:
	// a row for each pause, of members too.
	"paused": {[]string{"workspace", "account", "platform"}, `(exists (select from holds h where h.subject = any (array[{workspace}, {account}]))
		or {platform} = any (array(select h.platform from holds h where h.platform is not null)))`},
	// reviewed is true if a post waits for a person, or a first comment or a reply of the post: by a hold of its own, or by
	// that of a restore. id is that of the row itself, since what was made after the restore is not held by it.
	"reviewed": {[]string{"post", "id"}, `(exists (select from holds h where h.subject = {post}) or {held_by_restore({post}, {id})})`},
	// held_by_restore is true if the hold of a restore is on a row of a post. A reply has no post.
	"held_by_restore": {[]string{"post", "id"}, `exists (select from restores r where r.ended_at is null and {id} <= r.last_id
		and not exists (select from restore_releases x where x.post_id = {post}))`},
	// held_posts is the beginning of a statement about posts by their ids: "held" are those that the restore holds and
	// that are selected; one that has ended is held for its first comments. "known" are the same with what is known of
	// each (schema.Evidence). An edit that came after the restore is the last word on what the post says. ClickHouse
	// may not have an event for a minute: of what was due within that of its newest event nobody can say that it
	// has none.
	"held_posts": {text: `with page as materialized (
		select id, workspace_id, platforms, status, updated_at, scheduled_for, coalesce(retried_for, scheduled_for) due from posts
		where id > @after and id <= @upto and (@posts::uuid[] is null or id = any(@posts)) order by id
	), held as materialized (
		select h.* from page h
		where (h.status in {open_posts} or h.status in {ended_posts} and exists (
			select from comments c where c.post_id = h.id and c.state in {open_comments} and c.id <= @last))
		  and not exists (select from restore_releases x where x.post_id = h.id)
		  and (@workspaces::uuid[] is null or h.workspace_id = any(@workspaces))
		  and (@platforms::int = 0 or h.platforms = @platforms)
		  and (@from::timestamptz is null or h.due >= @from) and (@to::timestamptz is null or h.due < @to)
		  and (@overdue::bool is null or (h.due < @marked) = @overdue)
		order by h.id limit @most::int
	), known as materialized (
		select h.*,
			exists (select from restore_findings f where f.post_id = h.id and f.kind = @cancelled)::int cancelled,
			exists (select from restore_findings f where f.post_id = h.id and f.kind = @updated and h.updated_at < @marked)::int edited,
			exists (select from restore_findings f where f.post_id = h.id and f.kind = @published)::int published,
			exists (select from restore_findings f where f.post_id = h.id and f.kind = @failed)::int failed,
			(exists (select from restore_findings f where f.post_id = h.id and f.kind = @found)
			 and not exists (select from targets t where t.post_id = h.id and t.state in {open_targets}
				and not exists (select from restore_findings f where f.post_id = h.id and f.n = t.n and f.kind = @found)))::int found,
			exists (select from targets t join restore_looks l on l.account_id = t.account_id
				where t.post_id = h.id and t.state in {open_targets} and l.disconnected_at is not null)::int disconnected,
			(not {events_tell} and exists (
				select from targets t left join restore_looks l on l.account_id = t.account_id
				where t.post_id = h.id and t.state in {open_targets} and not {look_is_due}
				  and (l.looked_upto is null or l.looked_upto <= h.scheduled_for
					or exists (select from restore_findings f where f.post_id = h.id and f.n = t.n and f.kind = @cannot_tell))))::int cannot_tell,
			(not {events_tell} and exists (
				select from targets t left join restore_looks l on l.account_id = t.account_id
				where t.post_id = h.id and t.state in {open_targets} and {look_is_due}))::int waiting from held h
	)`},
	// events_tell is true of a post h where ClickHouse would have the event of it, had it gone out.
	"events_tell": {text: `(@events_until::timestamptz is not null
				and (h.due >= @marked or h.due < @events_until::timestamptz - interval '1 minute'))`},
	// look_is_due is true of a target t whose account, with its look l, is still to be looked at.
	"look_is_due": {text: `(l.tried_at is null
				and exists (select from accounts a where a.id = t.account_id and a.disconnected_at is null))`},
	// held_page is the beginning of a statement about the deliveries of a page of posts, by their times.
	"held_page": {text: `with page as materialized (
		select id, scheduled_for from posts
		where workspace_id = @workspace and (scheduled_for, id) > (@scheduled, coalesce(@post::uuid, {no_id})) order by scheduled_for, id limit @page
	)`},

	// Accounts and receipts.

	// account_columns is what tables.ScanAccount reads, of accounts a and their workspaces w.
	"account_columns": {text: `a.id, a.workspace_id, coalesce(a.brand_id, {no_id}), a.platform, a.native_id, a.name, a.server,
	w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
	coalesce(a.expires_at, {no_time}), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, {no_time}),
	a.ended, coalesce(a.end_message, ''), w.limits`},
	// listed_accounts is the beginning of a statement that lists accounts a. Of two pauses it has the operator's, whose
	// kind is the lower.
	"listed_accounts": {text: `select {account_columns}, coalesce(b.name, ''), a.from_dashboard, coalesce(h.kind, 0), coalesce(h.reason, ''), coalesce(h.created_at, {no_time})
	from accounts a
	join workspaces w on w.id = a.workspace_id
	left join brands b on b.id = a.brand_id
	left join lateral (select kind, reason, created_at from holds where subject = a.id and kind in {account_pauses} order by kind limit 1) h on true
	where a.workspace_id = $1 and a.disconnected_at is null`},
	// collected_account is true of accounts a that something may be read of. It looks them up by their ids: without
	// statistics the planner takes an index of all that is connected for a short one, and reads it whole; coalesce
	// keeps it from using one.
	"collected_account": {text: `coalesce(a.disconnected_at, 'infinity') = 'infinity' and not a.needs_reconnect and a.ended = 0`},
	// accounts_of_person is the accounts a of live workspaces w that a person has consented to: as it was noted, or since the
	// profile is the person's own.
	"accounts_of_person": {text: `from accounts a join workspaces w on w.id = a.workspace_id
	where w.live_id is null and w.deleting_at is null and (a.person = $1 or a.platform = $2 and a.native_id = $3)`},
	// consent_columns is what a consent is read from, of consents c and their workspaces w.
	"consent_columns": {text: `c.workspace_id, c.platform, c.server, w.live_id is not null, coalesce(c.brand_id, {no_id}),
	coalesce(c.account_id, {no_id}), coalesce(c.made_by, {no_id}), coalesce(c.key_id, {no_id}), c.redirect, c.stage, c.sealed, c.expires_at, coalesce(l.name, w.name)`},
	// profile is the profile that an account publishes to, as receipts name it, from accounts a and their workspaces w. Each
	// sandbox workspace has profiles of its own, as it has simulators of its own.
	"profile": {text: `substr(sha256(convert_to(a.platform || ' ' || case when w.live_id is null then a.server else w.id::text end || ' '
		|| coalesce(nullif(a.native_id, ''), a.id::text), 'UTF8')), 1, 16)`},
	// given_receipts is the receipts that a statement is given.
	"given_receipts": {text: `unnest(@accounts::uuid[], @native_ids::text[], @owners::uuid[], @ns::int2[], @entries::int2[])`},
	// insert_receipts is the beginning of a statement that records receipts.
	"insert_receipts": {text: `insert into receipts (profile, native_id, owner, n, entry)
	select {profile}, u.native_id, u.owner, u.n, u.entry
	from {given_receipts} u (account, native_id, owner, n, entry)
	join accounts a on a.id = u.account
	join workspaces w on w.id = a.workspace_id`},
	// posted_targets are the targets of posts, both among the open ones or in history, whose figures are read: of
	// rows asked u of a post and an account.
	"posted_targets": {[]string{"asked", "targets", "posts"}, `select t.post_id, t.n, t.account_id, first.receipt ->> 'id' as native_id, coalesce(first.receipt ->> 'url', '') as url,
			t.posted_at, exists (
				select from json_array_elements(case when json_typeof(p.content -> 'entries' -> 0 -> 'media') = 'array' then p.content -> 'entries' -> 0 -> 'media' else '[]' end) m
				where coalesce(m -> 'facts' ->> 'kind', m ->> 'type') = 'video') as video
		from {asked} u join {targets} t on t.post_id = u.post and t.account_id = u.account and t.state = {target_posted}
		join {posts} p on p.id = t.post_id
		join accounts a on a.id = t.account_id and coalesce(a.disconnected_at, 'infinity') = 'infinity'
		cross join lateral (select receipt from json_array_elements(t.receipts) receipt order by (receipt ->> 'entry')::int limit 1) first`},

	// Keys, queues, monitors and webhooks.

	// key_columns is what a key is read from, of api_keys k and their workspaces w.
	"key_columns": {text: `k.id, k.lineage, k.workspace_id, w.live_id is not null, k.name, k.prefix, k.permission,
	k.created_at, k.last_used_at, k.expires_at, k.revoked_at, k.suspended_at, k.suspended_until, k.networks, coalesce(k.made_by, {no_id})`},
	// managed_keys is the keys k that a workspace manages: its own and its sandbox's.
	"managed_keys": {text: `from api_keys k join workspaces w on w.id = k.workspace_id where (w.id = $1 or w.live_id = $1)`},
	// unconfirmed_key is true of a key k that the database has from before a restore, until its operator confirms it: it may
	// have been revoked afterwards.
	"unconfirmed_key": {text: `exists (select from restores r where k.id <= r.last_id and coalesce(k.confirmed_at < r.marked_at, true))`},
	// invitation_columns is what an invitation is read from that is still open.
	"invitation_columns": {text: `i.id, i.workspace_id, i.email, i.role, coalesce(i.invited_by, {no_id}), i.created_at, i.expires_at,
	i.mail_hash is not null or exists (select from mails m where m.kind = {mail_invitation} and m.about = i.workspace_id and m.recipient = i.email and m.due_at is not null)
	from invitations i join workspaces w on w.id = i.workspace_id and w.deleting_at is null where i.expires_at > now()`},
	// shown_name is what people call a workspace w: a registered one has its id behind its name.
	"shown_name": {text: `regexp_replace(w.name, ' \(ws_[0-9a-z]{26}\)$', '')`},
	// again_mail is what becomes of a mail m that is there already: one that waits stays, with what happened first, and
	// the next one is due once the interval since the last has passed.
	"again_mail": {text: `since = case when m.due_at is null then excluded.since else least(m.since, excluded.since) end,
		version = m.version + 1,
		attempts = case when m.due_at is null then 0 else m.attempts end,
		due_at = coalesce(m.due_at, greatest(excluded.due_at, m.sent_at + @interval::interval)),
		expires_at = greatest(m.expires_at, excluded.expires_at, m.sent_at + @interval::interval + (excluded.expires_at - excluded.since))`},
	// queue_columns is what a queue is read from, of queues q.
	"queue_columns": {text: `q.id, q.workspace_id, coalesce(q.brand_id, {no_id}), q.name, q.timezone, q.slots, q.is_default, q.created_at, q.updated_at`},
	// monitor_columns is what a monitor is read from, of monitors m and their searches s.
	"monitor_columns": {text: `m.id, m.workspace_id, m.name, m.include, m.exclude, m.language, m.platforms, m.paused, m.created_at, m.updated_at,
	s.read_until, coalesce(s.problem, '')`},
	// is_listening is true of monitors m of workspaces w that listen to a platform.
	"is_listening": {text: `m.sandbox = @sandbox and not m.paused and @platform::smallint = any(m.platforms) and w.deleting_at is null`},
	// webhook_columns is what a webhook is read from.
	"webhook_columns": {text: `id, workspace_id, url, events, secret, active, created_at, last_delivered_at,
	consecutive_failures, disabled_at, disabled_reason, previous_secret`},
	// delivery_record_columns is what the record of a delivery d is read from.
	"delivery_record_columns": {text: `d.id, d.event, d.event_id, d.state, coalesce(d.response_code, 0), coalesce(d.response_ms, 0), d.attempts,
	d.error, d.response, d.delivered_at, d.redelivers`},

	// Jobs and maintenance.

	// unnested_jobs is the jobs that a statement is given.
	"unnested_jobs": {text: `unnest(@ids::uuid[], @kinds::int2[], @shards::int2[], @due::timestamptz[], @versions::int[], @payloads::text[])
		u (id, kind, shard, due, version, payload)`},
	// newest_usage is the month of a workspace that u names.
	"newest_usage": {text: `select version, used from plan_usage p where p.month = u.month and p.workspace_id = u.workspace_id
	order by p.version desc limit 1`},
	// dead_letter_columns is what tables.ScanDeadLetter reads, of dead letters l.
	"dead_letter_columns": {text: `l.id, l.stage, l.subject, l.n, l.unreadable, l.topic, l.partition, l.key, l.value, l.reason, l.tries, l.failed_at`},
	// due_page is the next @page posts that are due from @from to @to, after the place (@workspace, @due, @id): the rest of
	// its workspace and then others, by the index of the schedule alone, whose columns run in both directions.
	"due_page": {text: `select * from (
		(select id, workspace_id, scheduled_for, retried_for, status, version, left_n, posted_n, failed_n, updated_at from posts where workspace_id = @workspace and (scheduled_for, id) < (@due, @id) and scheduled_for between @from and @to order by workspace_id, scheduled_for desc, id desc limit @page)
		union all
		(select id, workspace_id, scheduled_for, retried_for, status, version, left_n, posted_n, failed_n, updated_at from posts where workspace_id > @workspace and scheduled_for between @from and @to order by workspace_id, scheduled_for desc, id desc limit @page)
	) due order by workspace_id, scheduled_for desc, id desc limit @page`},
	// redelivery_turn is true of a redelivery that has not been looked at for a moment, or was noted before the clock was set
	// back: so that nothing waits for that time to come again.
	"redelivery_turn": {text: `(looked_at <= now() - interval '500 milliseconds' or looked_at > now() + interval '1 minute')`},
	// generic_plans is the settings of db.QueueGenericPlans.
	"generic_plans": {text: `set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_hashjoin', 'off', true), set_config('enable_material', 'off', true)`},

	// Deletions.

	// deletion_columns is what a deletion is read from.
	"deletion_columns": {text: `id, status, of_workspace, workspaces, accounts, posts, posts_removed, rows_removed, asked_at,
	coalesce(confirmed_at, {no_time}), coalesce(stopped_at, {no_time}), coalesce(ended_at, {no_time})`},
	// deleted_workspaces is the workspaces that a deletion is of.
	"deleted_workspaces": {text: `(select workspaces from deletions where id = $1)::uuid[]`},
	// lineages_of is by what repeated requests of some workspaces are known: by their keys, and by their members as
	// people.Session.Key has it.
	"lineages_of": {[]string{"workspaces"}, `select k.lineage from api_keys k where k.workspace_id = any({workspaces})
		union select encode(substring(sha256(uuid_send(m.user_id) || uuid_send(w.id)) for 16), 'hex')::uuid
		from workspaces w join memberships m on m.workspace_id = coalesce(w.live_id, w.id) where w.id = any({workspaces})`},
	// forget_deletion is how a deletion ends: only figures stay.
	"forget_deletion": {text: `status = {deletion_done}, ended_at = now(), token_hash = null, workspaces = '{}', accounts = '{}', webhooks = '{}',
	lineages = '{}', keys = '{}', profiles = '{}', unshared = '{}'`},
}
