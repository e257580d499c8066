-- The views crier_v1_* are what dashboards read. Names, types and meanings of their columns
-- stay (docs/analytics.md lists them); each row of them is one fact, however often it came.
create or replace view crier_v1_events as
select id, at, cast(type, 'String') as type, workspace, post, account, cast(platform, 'String') as platform, data
from events final
settings do_not_merge_across_partitions_select_final = 1;

create or replace view crier_v1_outcomes as
select id, at, workspace, post, account, cast(platform, 'String') as platform,
    if(type = 'target.posted', 'posted', 'failed') as outcome, cast(code, 'String') as code, lateness as lateness_seconds
from events final
where type in ('target.posted', 'target.failed')
settings do_not_merge_across_partitions_select_final = 1;

create or replace view crier_v1_outcomes_hourly as
select workspace, hour, account, platform, outcome, code, count() as targets,
    sum(lateness_seconds) as lateness_seconds_total, max(lateness_seconds) as lateness_seconds_max, countIf(lateness_seconds > 60) as late_targets
from (
    select workspace, toStartOfHour(at) as hour, account, cast(platform, 'String') as platform,
        if(type = 'target.posted', 'posted', 'failed') as outcome, cast(code, 'String') as code, lateness as lateness_seconds
    from events final
    where type in ('target.posted', 'target.failed')
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, hour, account, platform, outcome, code;

create or replace view crier_v1_outcomes_daily as
select workspace, day, account, platform, outcome, code, count() as targets,
    sum(lateness_seconds) as lateness_seconds_total, max(lateness_seconds) as lateness_seconds_max, countIf(lateness_seconds > 60) as late_targets
from (
    select workspace, toDate(at) as day, account, cast(platform, 'String') as platform,
        if(type = 'target.posted', 'posted', 'failed') as outcome, cast(code, 'String') as code, lateness as lateness_seconds
    from events final
    where type in ('target.posted', 'target.failed')
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, account, platform, outcome, code;

create or replace view crier_v1_post_metrics as
select workspace, account, cast(platform, 'String') as platform, post, target, native_id, posted_at, slot, at, gone,
    impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds
from post_metrics final
settings do_not_merge_across_partitions_select_final = 1;

create or replace view crier_v1_posts as
select workspace, account, cast(platform, 'String') as platform, post, target, native_id, posted_at, at,
    impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds,
    if(isNull(coalesce(likes, comments, shares, saves, clicks)), null,
        ifNull(likes, 0) + ifNull(comments, 0) + ifNull(shares, 0) + ifNull(saves, 0) + ifNull(clicks, 0)) as engagement
from post_latest final
settings do_not_merge_across_partitions_select_final = 1;

create or replace view crier_v1_followers as
select workspace, account, cast(platform, 'String') as platform, day, at, followers, following, posts
from followers final
settings do_not_merge_across_partitions_select_final = 1;

create or replace view crier_v1_inbox as
select workspace, account, cast(platform, 'String') as platform, post, cast(kind, 'String') as kind, native_id, parent_id,
    author_id, author_handle, author_name, author_url, text, url, post_native_id, written_at, deleted, read_at, at
from inbox_items final;

create or replace view crier_v1_feed as
select workspace, monitor, cast(platform, 'String') as platform, native_id, author_id, author_handle, author_name, author_url,
    text, url, cast(language, 'String') as language, written_at, keywords, at
from feed_items final
settings do_not_merge_across_partitions_select_final = 1;

create or replace view crier_v1_deliveries as
select workspace, webhook, delivery, cast(event, 'String') as event, attempt, cast(outcome, 'String') as outcome, code,
    seconds as answer_seconds, lateness as lateness_seconds, at
from deliveries final
settings do_not_merge_across_partitions_select_final = 1;

create or replace view crier_v1_platform_calls as
select minute, cast(platform, 'String') as platform, cast(operation, 'String') as operation, cast(outcome, 'String') as outcome, calls, seconds
from platform_calls final
settings do_not_merge_across_partitions_select_final = 1;

create or replace view crier_v1_api_usage as
select workspace, minute, key, cast(method, 'String') as method, cast(route, 'String') as route, status, requests, seconds
from api_usage final
settings do_not_merge_across_partitions_select_final = 1;
