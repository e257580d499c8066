-- +goose Up

-- Posts that have ended, with their targets and first comments, apart from those that are
-- open: partitioned by the month of the end, so that what is open costs the same however much
-- there was, and a month goes by dropping it. Whatever later versions add to the open tables
-- they add here and to the views, too.
create table posts_history (
    like posts including defaults including generated,
    ended_at timestamptz not null
) partition by range (ended_at);
create index posts_history_id on posts_history (id);
create index posts_history_order on posts_history (workspace_id, scheduled_for desc, id desc) where from_api;
create index posts_history_kinds on posts_history (workspace_id, platforms, status, scheduled_for desc, id desc) where from_api;
create index posts_history_brand on posts_history (workspace_id, brand_id, status, scheduled_for desc, id desc) include (platforms)
    where from_api and brand_id is not null;
create index posts_history_external on posts_history (workspace_id, external_id) where external_id is not null;

create table targets_history (
    like targets including defaults,
    ended_at timestamptz not null -- of the post
) partition by range (ended_at);
create index targets_history_post on targets_history (post_id, n);

create table comments_history (
    like comments including defaults,
    ended_at timestamptz not null -- of the post
) partition by range (ended_at);
create index comments_history_id on comments_history (id);
create index comments_history_post on comments_history (post_id);

-- Where a post is read wherever it stands.
create view all_posts as
    select id, workspace_id, brand_id, version, status, scheduled_for, retried_for, timezone, from_api, platforms, content,
        left_n, posted_n, failed_n, created_at, updated_at, external_id from posts
    union all
    select id, workspace_id, brand_id, version, status, scheduled_for, retried_for, timezone, from_api, platforms, content,
        left_n, posted_n, failed_n, created_at, updated_at, external_id from posts_history;
create view all_targets as
    select post_id, n, version, account_id, platform, content, state, step, entry, claim, node, lease_until, since, next_at,
        attempts, looked, progress, receipts, error, posted_at, charged_on, token, unsettled, accept_duplicate from targets
    union all
    select post_id, n, version, account_id, platform, content, state, step, entry, claim, node, lease_until, since, next_at,
        attempts, looked, progress, receipts, error, posted_at, charged_on, token, unsettled, accept_duplicate from targets_history;
create view all_comments as
    select id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
        attempts, looked, native_id, url, error, posted_at, token from comments
    union all
    select id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
        attempts, looked, native_id, url, error, posted_at, token from comments_history;

-- Posts that have ended and stand among the open ones still: what the archive takes next, and
-- by what they are listed meanwhile. An index of the state on posts would do for both, and end
-- the HOT updates of claims and finishes.
create table ended_posts (
    post_id       uuid primary key,
    workspace_id  uuid not null,
    status        smallint not null,
    scheduled_for timestamptz,
    ended_at      timestamptz not null
);
create index ended_posts_at on ended_posts (ended_at, post_id);
create index ended_posts_order on ended_posts (workspace_id, status, scheduled_for desc, post_id desc);
