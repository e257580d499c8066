-- Counts in the grain of questions that are asked of hours without their accounts, and of monitors
-- without their hours: of those by account and by hour there are nearly as many as facts.
create table if not exists rollup_platform_outcomes_hourly (
    workspace UUID,
    day       Date,
    hour      DateTime('UTC'),
    platform  LowCardinality(String),
    outcome   LowCardinality(String),
    version   Int64 codec(ZSTD(1)),
    targets   UInt64 codec(T64, ZSTD(1)),
    lateness_seconds_total Float64 codec(ZSTD(1)),
    lateness_seconds_max   Float64 codec(ZSTD(1)),
    late_targets           UInt64 codec(T64, ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, hour, day, platform, outcome)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

-- found is the day on which an item was found, day that on which it was written.
create table if not exists rollup_feed_daily (
    workspace UUID,
    day       Date,
    found     Date,
    monitor   UUID,
    platform  LowCardinality(String),
    version   Int64 codec(ZSTD(1)),
    items     UInt64 codec(T64, ZSTD(1)),
    delay_seconds_total Float64 codec(ZSTD(1)),
    delay_seconds_max   Float64 codec(ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, found, day, monitor, platform)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

create or replace view counted_platform_outcomes_hourly as
select workspace, day, hour, platform, outcome,
    count() as targets, sum(lateness) as lateness_seconds_total, max(lateness) as lateness_seconds_max, countIf(lateness > 60) as late_targets
from (
    select workspace, toDate(at) as day, toStartOfHour(at) as hour, cast(platform, 'String') as platform, if(type = 'target.posted', 'posted', 'failed') as outcome,
        lateness
    from events final
    where type in ('target.posted', 'target.failed')
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, hour, platform, outcome;

create or replace view counted_feed_daily as
select workspace, day, found, monitor, platform,
    count() as items, sum(delay) as delay_seconds_total, max(delay) as delay_seconds_max
from (
    select workspace, toDate(written_at) as day, toDate(at) as found, monitor, cast(platform, 'String') as platform,
        dateDiff('millisecond', written_at, at) / 1000 as delay
    from feed_items final
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, found, monitor, platform;

create or replace view crier_v1_platform_outcomes_hourly as
select workspace, hour, platform, outcome, targets, lateness_seconds_total, lateness_seconds_max, late_targets
from (
    select workspace, day, hour, platform, outcome, targets, lateness_seconds_total, lateness_seconds_max, late_targets, true as open
    from counted_platform_outcomes_hourly
    union all
    select workspace, day, hour, cast(platform, 'String') as platform, cast(outcome, 'String') as outcome,
        targets, lateness_seconds_total, lateness_seconds_max, late_targets, false as open
    from rollup_platform_outcomes_hourly final
    where targets > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, day) in (select workspace, day from rollup_open where kind = 'outcomes' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, day) not in (select workspace, day from rollup_open where kind = 'outcomes' group by workspace, day having sum(n) <> 0));

create or replace view crier_v1_feed_daily as
select workspace, found as day, monitor, platform, items, delay_seconds_total, delay_seconds_max
from (
    select workspace, day as bucket, found, monitor, platform, items, delay_seconds_total, delay_seconds_max, true as open
    from counted_feed_daily
    union all
    select workspace, day as bucket, found, monitor, cast(platform, 'String') as platform, items, delay_seconds_total, delay_seconds_max, false as open
    from rollup_feed_daily final
    where items > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, bucket) in (select workspace, day from rollup_open where kind = 'feed' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, bucket) not in (select workspace, day from rollup_open where kind = 'feed' group by workspace, day having sum(n) <> 0));

-- By the best of a day who looks for the best posts knows where they are.
create or replace view crier_v1_posts_daily as
select workspace, day, account, platform, posts, impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds, engagement, most_engagement
from read_posts_daily;

-- How posts did a day after they were published, by the UTC hour: a place in the arrays for each of
-- the 24. A metric that was not told has no part in it. Sums are of logarithms, which compare, and
-- squares of all hours together: they tell how far posts spread.
create table if not exists rollup_post_hours (
    workspace UUID,
    day       Date,
    account   UUID,
    platform  LowCardinality(String),
    metric    LowCardinality(String),
    version   Int64 codec(ZSTD(1)),
    posts     Array(UInt32) codec(ZSTD(1)),
    sums      Array(Float32) codec(ZSTD(1)),
    squares   Float64 codec(ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, metric, day, account, platform)
settings index_granularity = 1024, min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

create or replace view counted_post_hours as
select workspace, day, account, platform, metric,
    cast(countResample(0, 24, 1)(hour), 'Array(UInt32)') as posts,
    cast(sumResample(0, 24, 1)(x, hour), 'Array(Float32)') as sums,
    sum(x * x) as squares
from (
    select workspace, day, account, platform, told.1 as metric, hour, log1p(greatest(assumeNotNull(told.2), 0)) as x
    from (
        select workspace, toDate(posted_at) as day, account, cast(platform, 'String') as platform, toHour(posted_at) as hour,
            [('impressions', impressions), ('reach', reach), ('views', views), ('likes', likes), ('comments', comments), ('shares', shares),
                ('saves', saves), ('clicks', clicks), ('watch_seconds', watch_seconds), ('engagement', engagement)] as metrics
        from post_day_looks final
        where not gone
        settings do_not_merge_across_partitions_select_final = 1
    )
    array join metrics as told
    where isNotNull(told.2)
)
group by workspace, day, account, platform, metric;

-- What was counted before these tables were there is counted again, but not within the hour: a
-- process of the version before, which does not know of them, may still be counting.
insert into rollup_open
select 'outcomes', workspace, day, toStartOfMinute(now('UTC')) + interval 1 hour, reinterpretAsInt64(rand64())
from rollup_outcomes_daily group by workspace, day;

insert into rollup_open
select 'posts', workspace, day, toStartOfMinute(now('UTC')) + interval 1 hour, reinterpretAsInt64(rand64())
from rollup_posts_daily group by workspace, day;

insert into rollup_open
select 'feed', workspace, day, toStartOfMinute(now('UTC')) + interval 1 hour, reinterpretAsInt64(rand64())
from rollup_feed_hourly group by workspace, day;
