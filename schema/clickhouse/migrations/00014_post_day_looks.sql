-- The look at each published target a day after it was published, by which posts are compared.
-- It is kept by replacing, as post_latest is.
create table if not exists post_day_looks (
    workspace     UUID,
    account       UUID,
    platform      LowCardinality(String),
    post          UUID,
    target        Int16,
    posted_at     DateTime64(3, 'UTC') codec(Delta, ZSTD(1)),
    at            DateTime64(6, 'UTC') codec(Delta, ZSTD(1)),
    gone          Bool,
    impressions   Nullable(Int64) codec(ZSTD(1)),
    reach         Nullable(Int64) codec(ZSTD(1)),
    views         Nullable(Int64) codec(ZSTD(1)),
    likes         Nullable(Int64) codec(ZSTD(1)),
    comments      Nullable(Int64) codec(ZSTD(1)),
    shares        Nullable(Int64) codec(ZSTD(1)),
    saves         Nullable(Int64) codec(ZSTD(1)),
    clicks        Nullable(Int64) codec(ZSTD(1)),
    watch_seconds Nullable(Int64) codec(ZSTD(1)),
    engagement    Nullable(Int64) codec(ZSTD(1))
)
engine = ReplacingMergeTree(at)
partition by toYYYYMM(posted_at)
order by (workspace, toDate(posted_at), account, post, target)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;

create materialized view if not exists post_day_looks_feed to post_day_looks as
select workspace, account, platform, post, target, posted_at, at, gone,
    impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds,
    if(isNull(coalesce(likes, comments, shares, saves, clicks)), null,
        ifNull(likes, 0) + ifNull(comments, 0) + ifNull(shares, 0) + ifNull(saves, 0) + ifNull(clicks, 0)) as engagement
from post_metrics where slot = 3;

insert into post_day_looks
select workspace, account, platform, post, target, posted_at, at, gone,
    impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds,
    if(isNull(coalesce(likes, comments, shares, saves, clicks)), null,
        ifNull(likes, 0) + ifNull(comments, 0) + ifNull(shares, 0) + ifNull(saves, 0) + ifNull(clicks, 0)) as engagement
from post_metrics where slot = 3;
