-- Facts of a bucket, counted: what rollup_* hold of it, and what is read instead while it is open.

create or replace view counted_outcomes_hourly as
select workspace, day, hour, account, platform, outcome, code,
    count() as targets, sum(lateness) as lateness_seconds_total, max(lateness) as lateness_seconds_max, countIf(lateness > 60) as late_targets
from (
    select workspace, toDate(at) as day, toStartOfHour(at) as hour, account, cast(platform, 'String') as platform, if(type = 'target.posted', 'posted', 'failed') as outcome, cast(code, 'String') as code,
        lateness
    from events final
    where type in ('target.posted', 'target.failed')
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, hour, account, platform, outcome, code;

create or replace view counted_outcomes_daily as
select workspace, day, account, platform, outcome, code,
    count() as targets, sum(lateness) as lateness_seconds_total, max(lateness) as lateness_seconds_max, countIf(lateness > 60) as late_targets
from (
    select workspace, toDate(at) as day, account, cast(platform, 'String') as platform, if(type = 'target.posted', 'posted', 'failed') as outcome, cast(code, 'String') as code,
        lateness
    from events final
    where type in ('target.posted', 'target.failed')
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, account, platform, outcome, code;

create or replace view counted_posts_daily as
select workspace, day, account, platform,
    count() as posts, sum(impressions_) as impressions, sum(reach_) as reach, sum(views_) as views, sum(likes_) as likes, sum(comments_) as comments,
    sum(shares_) as shares, sum(saves_) as saves, sum(clicks_) as clicks, sum(watch_seconds_) as watch_seconds, sum(engagement_) as engagement,
    max(impressions_) as most_impressions, max(reach_) as most_reach, max(views_) as most_views, max(likes_) as most_likes,
    max(comments_) as most_comments, max(shares_) as most_shares, max(saves_) as most_saves, max(clicks_) as most_clicks,
    max(watch_seconds_) as most_watch_seconds, max(engagement_) as most_engagement
from (
    select workspace, toDate(posted_at) as day, account, cast(platform, 'String') as platform,
        impressions as impressions_, reach as reach_, views as views_, likes as likes_, comments as comments_,
        shares as shares_, saves as saves_, clicks as clicks_, watch_seconds as watch_seconds_,
        if(isNull(coalesce(likes, comments, shares, saves, clicks)), null,
            ifNull(likes, 0) + ifNull(comments, 0) + ifNull(shares, 0) + ifNull(saves, 0) + ifNull(clicks, 0)) as engagement_
    from post_latest final
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, account, platform;

create or replace view counted_deliveries_hourly as
select workspace, day, hour, webhook, event, outcome, code,
    count() as tries, sum(seconds) as answer_seconds_total, sum(lateness) as lateness_seconds_total, max(lateness) as lateness_seconds_max
from (
    select workspace, toDate(at) as day, toStartOfHour(at) as hour, webhook, cast(event, 'String') as event, cast(outcome, 'String') as outcome, code,
        seconds, lateness
    from deliveries final
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, hour, webhook, event, outcome, code;

create or replace view counted_api_usage_hourly as
select workspace, day, hour, key, method, route, status,
    sum(r) as requests, sum(s) as seconds
from (
    select workspace, toDate(minute) as day, toStartOfHour(minute) as hour, key, cast(method, 'String') as method, cast(route, 'String') as route, status,
        requests as r, seconds as s
    from api_usage final
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, hour, key, method, route, status;

create or replace view counted_feed_hourly as
select workspace, day, hour, monitor, platform,
    count() as items, sum(delay) as delay_seconds_total, max(delay) as delay_seconds_max
from (
    select workspace, toDate(written_at) as day, toStartOfHour(at) as hour, monitor, cast(platform, 'String') as platform,
        dateDiff('millisecond', written_at, at) / 1000 as delay
    from feed_items final
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, hour, monitor, platform;
