-- What was counted beforehand, and, of each bucket that is open, the facts themselves. One condition
-- decides of both, by one reading of what is open: no bucket is read twice or not at all.

create or replace view crier_v1_outcomes_hourly as
select workspace, hour, account, platform, outcome, code, targets, lateness_seconds_total, lateness_seconds_max, late_targets
from (
    select workspace, day, hour, account, platform, outcome, code, targets, lateness_seconds_total, lateness_seconds_max, late_targets, true as open
    from counted_outcomes_hourly
    union all
    select workspace, day, hour,
        cell.account as account, cast(cell.platform, 'String') as platform, cast(cell.outcome, 'String') as outcome, cast(cell.code, 'String') as code,
        cell.targets as targets, cell.lateness_seconds_total as lateness_seconds_total, cell.lateness_seconds_max as lateness_seconds_max,
        cell.late_targets as late_targets, false as open
    from rollup_outcomes_hourly final
    array join cells as cell
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
    select workspace, day,
        cell.account as account, cast(cell.platform, 'String') as platform, cast(cell.outcome, 'String') as outcome, cast(cell.code, 'String') as code,
        cell.targets as targets, cell.lateness_seconds_total as lateness_seconds_total, cell.lateness_seconds_max as lateness_seconds_max,
        cell.late_targets as late_targets, false as open
    from rollup_outcomes_daily final
    array join cells as cell
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
    select workspace, day,
        cell.account as account, cast(cell.platform, 'String') as platform, cell.posts as posts, cell.impressions as impressions, cell.reach as reach,
        cell.views as views, cell.likes as likes, cell.comments as comments, cell.shares as shares, cell.saves as saves, cell.clicks as clicks,
        cell.watch_seconds as watch_seconds, cell.engagement as engagement,
        cell.most_impressions as most_impressions, cell.most_reach as most_reach, cell.most_views as most_views, cell.most_likes as most_likes,
        cell.most_comments as most_comments, cell.most_shares as most_shares, cell.most_saves as most_saves, cell.most_clicks as most_clicks,
        cell.most_watch_seconds as most_watch_seconds, cell.most_engagement as most_engagement, false as open
    from rollup_posts_daily final
    array join cells as cell
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
    select workspace, day, hour,
        cell.webhook as webhook, cast(cell.event, 'String') as event, cast(cell.outcome, 'String') as outcome, cell.code as code, cell.tries as tries,
        cell.answer_seconds_total as answer_seconds_total, cell.lateness_seconds_total as lateness_seconds_total,
        cell.lateness_seconds_max as lateness_seconds_max, false as open
    from rollup_deliveries_hourly final
    array join cells as cell
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
    select workspace, day, hour,
        cell.key as key, cast(cell.method, 'String') as method, cast(cell.route, 'String') as route, cell.status as status, cell.requests as requests,
        cell.seconds as seconds, false as open
    from rollup_api_usage_hourly final
    array join cells as cell
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
    select workspace, day, hour,
        cell.monitor as monitor, cast(cell.platform, 'String') as platform, cell.items as items, cell.delay_seconds_total as delay_seconds_total,
        cell.delay_seconds_max as delay_seconds_max, false as open
    from rollup_feed_hourly final
    array join cells as cell
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, day) in (select workspace, day from rollup_open where kind = 'feed' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, day) not in (select workspace, day from rollup_open where kind = 'feed' group by workspace, day having sum(n) <> 0));
