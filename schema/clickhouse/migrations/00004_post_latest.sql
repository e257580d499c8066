-- The latest look at each published target. It is kept by replacing, so that a repetition, or
-- looks that arrive in another order, leave it as it is.
create table if not exists post_latest (
    workspace     UUID,
    account       UUID,
    platform      LowCardinality(String),
    post          UUID,
    target        Int16,
    native_id     String codec(ZSTD(1)),
    posted_at     DateTime64(3, 'UTC') codec(Delta, ZSTD(1)),
    slot          Int16,
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
    watch_seconds Nullable(Int64) codec(ZSTD(1))
)
engine = ReplacingMergeTree(at)
partition by toYYYYMM(posted_at)
order by (workspace, toDate(posted_at), account, post, target)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1
