-- What was counted beforehand, and, of each bucket that is open, the facts themselves. One condition
-- decides of both, by one reading of what is open: no bucket is read twice or not at all.

create or replace view crier_v1_outcomes_hourly as
select workspace, hour, account, platform, outcome, code, targets, lateness_seconds_total, lateness_seconds_max, late_targets
from (
    select workspace, day, hour, account, platform, outcome, code, targets, lateness_seconds_total, lateness_seconds_max, late_targets, true as open
    from counted_outcomes_hourly
    union all
    select workspace, day, hour, account, cast(platform, 'String') as platform, cast(outcome, 'String') as outcome, cast(code, 'String') as code,
        targets, lateness_seconds_total, lateness_seconds_max, late_targets, false as open
    from rollup_outcomes_hourly final
    where targets > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, day) in (select workspace, day from rollup_open where kind = 'outcomes' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, day) not in (select workspace, day from rollup_open where kind = 'outcomes' group by workspace, day having sum(n) <> 0));

create or replace view crier_v1_outcomes_daily as
select workspace, day, account, platform, outcome, code, targets, lateness_seconds_total, lateness_seconds_max, late_targets
from (
    select workspace, day, account, platform, outcome, code, targets, lateness_seconds_total, lateness_seconds_max, late_targets, true as open
    from counted_outcomes_daily
    union all
    select workspace, day, account, cast(platform, 'String') as platform, cast(outcome, 'String') as outcome, cast(code, 'String') as code, targets,
        lateness_seconds_total, lateness_seconds_max, late_targets, false as open
    from rollup_outcomes_daily final
    where targets > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, day) in (select workspace, day from rollup_open where kind = 'outcomes' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, day) not in (select workspace, day from rollup_open where kind = 'outcomes' group by workspace, day having sum(n) <> 0));

-- most_* are of the best post of each account and day.
create or replace view read_posts_daily as
select workspace, day, account, platform, posts, impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds, engagement,
    most_impressions, most_reach, most_views, most_likes, most_comments, most_shares,
    most_saves, most_clicks, most_watch_seconds, most_engagement
from (
    select workspace, day, account, platform, posts, impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds, engagement,
        most_impressions, most_reach, most_views, most_likes, most_comments, most_shares,
        most_saves, most_clicks, most_watch_seconds, most_engagement, true as open
    from counted_posts_daily
    union all
    select workspace, day, account, cast(platform, 'String') as platform, posts, impressions, reach, views, likes, comments, shares, saves, clicks,
        watch_seconds, engagement, most_impressions, most_reach, most_views, most_likes, most_comments, most_shares, most_saves, most_clicks,
        most_watch_seconds, most_engagement, false as open
    from rollup_posts_daily final
    where posts > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, day) in (select workspace, day from rollup_open where kind = 'posts' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, day) not in (select workspace, day from rollup_open where kind = 'posts' group by workspace, day having sum(n) <> 0));

create or replace view crier_v1_posts_daily as
select workspace, day, account, platform, posts, impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds, engagement
from read_posts_daily;

create or replace view crier_v1_deliveries_hourly as
select workspace, hour, webhook, event, outcome, code, tries, answer_seconds_total, lateness_seconds_total, lateness_seconds_max
from (
    select workspace, day, hour, webhook, event, outcome, code, tries, answer_seconds_total, lateness_seconds_total, lateness_seconds_max, true as open
    from counted_deliveries_hourly
    union all
    select workspace, day, hour, webhook, cast(event, 'String') as event, cast(outcome, 'String') as outcome, code, tries, answer_seconds_total,
        lateness_seconds_total, lateness_seconds_max, false as open
    from rollup_deliveries_hourly final
    where tries > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, day) in (select workspace, day from rollup_open where kind = 'deliveries' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, day) not in (select workspace, day from rollup_open where kind = 'deliveries' group by workspace, day having sum(n) <> 0));

create or replace view crier_v1_api_usage_hourly as
select workspace, hour, key, method, route, status, requests, seconds
from (
    select workspace, day, hour, key, method, route, status, requests, seconds, true as open
    from counted_api_usage_hourly
    union all
    select workspace, day, hour, key, cast(method, 'String') as method, cast(route, 'String') as route, status, requests, seconds, false as open
    from rollup_api_usage_hourly final
    where requests > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, day) in (select workspace, day from rollup_open where kind = 'api_usage' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, day) not in (select workspace, day from rollup_open where kind = 'api_usage' group by workspace, day having sum(n) <> 0));

create or replace view crier_v1_feed_hourly as
select workspace, hour, monitor, platform, items, delay_seconds_total, delay_seconds_max
from (
    select workspace, day, hour, monitor, platform, items, delay_seconds_total, delay_seconds_max, true as open
    from counted_feed_hourly
    union all
    select workspace, day, hour, monitor, cast(platform, 'String') as platform, items, delay_seconds_total, delay_seconds_max, false as open
    from rollup_feed_hourly final
    where items > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, day) in (select workspace, day from rollup_open where kind = 'feed' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, day) not in (select workspace, day from rollup_open where kind = 'feed' group by workspace, day having sum(n) <> 0));
