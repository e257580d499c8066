-- Posts are ranked by one column, not by five of which each has its nulls apart. Parts that are
-- there have it once they are written anew, and answer by the others until then.
alter table post_latest add column if not exists engagement Nullable(Int64)
    materialized if(isNull(coalesce(likes, comments, shares, saves, clicks)), null,
        ifNull(likes, 0) + ifNull(comments, 0) + ifNull(shares, 0) + ifNull(saves, 0) + ifNull(clicks, 0)) codec(ZSTD(1));

alter table post_latest materialize column engagement;

create or replace view crier_v1_posts as
select workspace, account, cast(platform, 'String') as platform, post, target, native_id, posted_at, at,
    impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds, engagement
from post_latest final
settings do_not_merge_across_partitions_select_final = 1;

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
        shares as shares_, saves as saves_, clicks as clicks_, watch_seconds as watch_seconds_, engagement as engagement_
    from post_latest final
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, account, platform;

-- A view costs its plan before it reads anything: this one stands on no other, and has no columns
-- but those that are asked for.
create or replace view crier_v1_posts_daily as
select workspace, day, account, platform, posts, impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds, engagement, most_engagement
from (
    select p.workspace as workspace, toDate(p.posted_at) as day, p.account as account, cast(p.platform, 'String') as platform, count() as posts,
        sum(p.impressions) as impressions, sum(p.reach) as reach, sum(p.views) as views, sum(p.likes) as likes, sum(p.comments) as comments,
        sum(p.shares) as shares, sum(p.saves) as saves, sum(p.clicks) as clicks, sum(p.watch_seconds) as watch_seconds,
        sum(p.engagement) as engagement, max(p.engagement) as most_engagement, true as open
    from post_latest as p final
    group by workspace, day, account, platform
    settings do_not_merge_across_partitions_select_final = 1
    union all
    select workspace, day, account, cast(platform, 'String') as platform, posts, impressions, reach, views, likes, comments, shares, saves, clicks,
        watch_seconds, engagement, most_engagement, false as open
    from rollup_posts_daily final
    where posts > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, day) in (select workspace, day from rollup_open where kind = 'posts' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, day) not in (select workspace, day from rollup_open where kind = 'posts' group by workspace, day having sum(n) <> 0));

drop view if exists read_posts_daily;

-- An item keeps the time at which it was first said to be written: all its revisions are of one month.
create or replace view crier_v1_inbox as
select workspace, account, cast(platform, 'String') as platform, post, cast(kind, 'String') as kind, native_id, parent_id,
    author_id, author_handle, author_name, author_url, text, url, post_native_id, written_at, deleted, read_at, at
from inbox_items final
settings do_not_merge_across_partitions_select_final = 1;

-- Arrays are most of what is read when posts do best, and unpacking them most of that. The index
-- keeps all columns of the key: where other workspaces have a mark or two each, it would keep the
-- workspace alone, and all metrics of a large one would be read.
alter table rollup_post_hours modify column posts Array(UInt32) codec(T64, LZ4), modify column sums Array(Float32) codec(LZ4);

alter table rollup_post_hours modify setting primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

-- Finds without their monitors, and by the keywords that found them. An hour of finds may have a row
-- for each of the days on which they were written.
create table if not exists rollup_platform_feed_hourly (
    workspace UUID,
    day       Date,
    hour      DateTime('UTC'),
    platform  LowCardinality(String),
    version   Int64 codec(ZSTD(1)),
    items     UInt64 codec(T64, ZSTD(1)),
    delay_seconds_total Float64 codec(ZSTD(1)),
    delay_seconds_max   Float64 codec(ZSTD(1)),
    delay_seconds_p99   Float64 codec(ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, hour, day, platform)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

create table if not exists rollup_feed_keywords_daily (
    workspace UUID,
    day       Date,
    found     Date,
    keyword   String codec(ZSTD(1)),
    version   Int64 codec(ZSTD(1)),
    items     UInt64 codec(T64, ZSTD(1))
)
engine = ReplacingMergeTree(version)
partition by toYYYYMM(day)
order by (workspace, found, day, keyword)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

create or replace view counted_platform_feed_hourly as
select workspace, day, hour, platform,
    count() as items, sum(delay) as delay_seconds_total, max(delay) as delay_seconds_max, quantileExact(0.99)(delay) as delay_seconds_p99
from (
    select workspace, toDate(written_at) as day, toStartOfHour(at) as hour, cast(platform, 'String') as platform,
        dateDiff('millisecond', written_at, at) / 1000 as delay
    from feed_items final
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, hour, platform;

create or replace view counted_feed_keywords_daily as
select workspace, day, found, keyword, count() as items
from (
    select workspace, toDate(written_at) as day, toDate(at) as found, arrayJoin(keywords) as keyword
    from feed_items final
    settings do_not_merge_across_partitions_select_final = 1
)
group by workspace, day, found, keyword;

create or replace view crier_v1_platform_feed_hourly as
select workspace, hour, platform, items, delay_seconds_total, delay_seconds_max, delay_seconds_p99
from (
    select workspace, day, hour, platform, items, delay_seconds_total, delay_seconds_max, delay_seconds_p99, true as open
    from counted_platform_feed_hourly
    union all
    select workspace, day, hour, cast(platform, 'String') as platform, items, delay_seconds_total, delay_seconds_max, delay_seconds_p99, false as open
    from rollup_platform_feed_hourly final
    where items > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, day) in (select workspace, day from rollup_open where kind = 'feed' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, day) not in (select workspace, day from rollup_open where kind = 'feed' group by workspace, day having sum(n) <> 0));

create or replace view crier_v1_feed_keywords_daily as
select workspace, found as day, keyword, items
from (
    select workspace, day as bucket, found, keyword, items, true as open
    from counted_feed_keywords_daily
    union all
    select workspace, day as bucket, found, keyword, items, false as open
    from rollup_feed_keywords_daily final
    where items > 0
    settings do_not_merge_across_partitions_select_final = 1
)
where (open and (workspace, bucket) in (select workspace, day from rollup_open where kind = 'feed' group by workspace, day having sum(n) <> 0))
    or (not open and (workspace, bucket) not in (select workspace, day from rollup_open where kind = 'feed' group by workspace, day having sum(n) <> 0));

-- Finds that were counted before are counted again, but not within the hour: a process of the
-- version before, which does not know of these tables, may still be counting.
insert into rollup_open
select 'feed', workspace, day, toStartOfMinute(now('UTC')) + interval 1 hour, reinterpretAsInt64(rand64())
from rollup_feed_hourly group by workspace, day;
