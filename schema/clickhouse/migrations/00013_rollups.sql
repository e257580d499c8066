-- Buckets, each a UTC day of a workspace, into which facts arrived since they were counted. What
-- arrives adds a random number to its bucket, counting takes away what it had seen of them: a
-- bucket whose sum is zero is counted, and merging removes it.
create table if not exists rollup_open (
    kind      LowCardinality(String),
    workspace UUID,
    day       Date,
    minute    DateTime('UTC'),                  -- in which it arrived
    n         Int64
)
engine = SummingMergeTree(n)
order by (kind, workspace, day, minute)
settings min_age_to_force_merge_seconds = 600;

-- Counts. Those of a bucket that are made anew replace those of before; what has nothing to count
-- any more is replaced by zero.
create table if not exists rollup_outcomes_hourly (
    workspace UUID,
    day       Date,
    hour      DateTime('UTC'),
    account UUID,
    platform LowCardinality(String),
    outcome LowCardinality(String),
    code LowCardinality(String),
    version Int64 codec(ZSTD(1)),
    targets UInt64 codec(T64, ZSTD(1)),
    lateness_seconds_total Float64 codec(ZSTD(1)),
    lateness_seconds_max Float64 codec(ZSTD(1)),
    late_targets UInt64 codec(T64, ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, hour, day, account, platform, outcome, code)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

create table if not exists rollup_outcomes_daily (
    workspace UUID,
    day       Date,
    account UUID,
    platform LowCardinality(String),
    outcome LowCardinality(String),
    code LowCardinality(String),
    version Int64 codec(ZSTD(1)),
    targets UInt64 codec(T64, ZSTD(1)),
    lateness_seconds_total Float64 codec(ZSTD(1)),
    lateness_seconds_max Float64 codec(ZSTD(1)),
    late_targets UInt64 codec(T64, ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, day, account, platform, outcome, code)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

create table if not exists rollup_posts_daily (
    workspace UUID,
    day       Date,
    account UUID,
    platform LowCardinality(String),
    version Int64 codec(ZSTD(1)),
    posts UInt64 codec(T64, ZSTD(1)),
    impressions Nullable(Int64) codec(ZSTD(1)),
    reach Nullable(Int64) codec(ZSTD(1)),
    views Nullable(Int64) codec(ZSTD(1)),
    likes Nullable(Int64) codec(ZSTD(1)),
    comments Nullable(Int64) codec(ZSTD(1)),
    shares Nullable(Int64) codec(ZSTD(1)),
    saves Nullable(Int64) codec(ZSTD(1)),
    clicks Nullable(Int64) codec(ZSTD(1)),
    watch_seconds Nullable(Int64) codec(ZSTD(1)),
    engagement Nullable(Int64) codec(ZSTD(1)),
    most_impressions Nullable(Int64) codec(ZSTD(1)),
    most_reach Nullable(Int64) codec(ZSTD(1)),
    most_views Nullable(Int64) codec(ZSTD(1)),
    most_likes Nullable(Int64) codec(ZSTD(1)),
    most_comments Nullable(Int64) codec(ZSTD(1)),
    most_shares Nullable(Int64) codec(ZSTD(1)),
    most_saves Nullable(Int64) codec(ZSTD(1)),
    most_clicks Nullable(Int64) codec(ZSTD(1)),
    most_watch_seconds Nullable(Int64) codec(ZSTD(1)),
    most_engagement Nullable(Int64) codec(ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, day, account, platform)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

create table if not exists rollup_deliveries_hourly (
    workspace UUID,
    day       Date,
    hour      DateTime('UTC'),
    webhook UUID,
    event LowCardinality(String),
    outcome LowCardinality(String),
    code UInt16,
    version Int64 codec(ZSTD(1)),
    tries UInt64 codec(T64, ZSTD(1)),
    answer_seconds_total Float64 codec(ZSTD(1)),
    lateness_seconds_total Float64 codec(ZSTD(1)),
    lateness_seconds_max Float64 codec(ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, hour, day, webhook, event, outcome, code)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

create table if not exists rollup_api_usage_hourly (
    workspace UUID,
    day       Date,
    hour      DateTime('UTC'),
    key UUID,
    method LowCardinality(String),
    route LowCardinality(String),
    status UInt16,
    version Int64 codec(ZSTD(1)),
    requests UInt64 codec(T64, ZSTD(1)),
    seconds Float64 codec(ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, hour, day, key, method, route, status)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

-- The hour is that in which an item was found, the day that on which it was written.
create table if not exists rollup_feed_hourly (
    workspace UUID,
    day       Date,
    hour      DateTime('UTC'),
    monitor UUID,
    platform LowCardinality(String),
    version Int64 codec(ZSTD(1)),
    items UInt64 codec(T64, ZSTD(1)),
    delay_seconds_total Float64 codec(ZSTD(1)),
    delay_seconds_max Float64 codec(ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, hour, day, monitor, platform)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

-- These count nothing, so a repetition may pass through them: it opens its bucket again.
create materialized view if not exists rollup_open_outcomes to rollup_open as
select 'outcomes' as kind, workspace, toDate(at) as day, toStartOfMinute(now('UTC')) as minute, reinterpretAsInt64(rand64()) as n
from events where type in ('target.posted', 'target.failed')
group by workspace, day;

create materialized view if not exists rollup_open_posts to rollup_open as
select 'posts' as kind, workspace, toDate(posted_at) as day, toStartOfMinute(now('UTC')) as minute, reinterpretAsInt64(rand64()) as n
from post_metrics
group by workspace, day;

create materialized view if not exists rollup_open_deliveries to rollup_open as
select 'deliveries' as kind, workspace, toDate(at) as day, toStartOfMinute(now('UTC')) as minute, reinterpretAsInt64(rand64()) as n
from deliveries
group by workspace, day;

create materialized view if not exists rollup_open_api_usage to rollup_open as
select 'api_usage' as kind, workspace, toDate(api_usage.minute) as day, toStartOfMinute(now('UTC')) as minute, reinterpretAsInt64(rand64()) as n
from api_usage
group by workspace, day;

create materialized view if not exists rollup_open_feed to rollup_open as
select 'feed' as kind, workspace, toDate(written_at) as day, toStartOfMinute(now('UTC')) as minute, reinterpretAsInt64(rand64()) as n
from feed_items
group by workspace, day;

-- What is there already is counted as if it arrived now.
insert into rollup_open
select 'outcomes', workspace, toDate(at) as day, toStartOfMinute(now('UTC')), reinterpretAsInt64(rand64())
from events where type in ('target.posted', 'target.failed') group by workspace, day;

insert into rollup_open
select 'posts', workspace, toDate(posted_at) as day, toStartOfMinute(now('UTC')), reinterpretAsInt64(rand64())
from post_latest group by workspace, day;

insert into rollup_open
select 'deliveries', workspace, toDate(at) as day, toStartOfMinute(now('UTC')), reinterpretAsInt64(rand64())
from deliveries group by workspace, day;

insert into rollup_open
select 'api_usage', workspace, toDate(minute) as day, toStartOfMinute(now('UTC')), reinterpretAsInt64(rand64())
from api_usage group by workspace, day;

insert into rollup_open
select 'feed', workspace, toDate(written_at) as day, toStartOfMinute(now('UTC')), reinterpretAsInt64(rand64())
from feed_items group by workspace, day;
