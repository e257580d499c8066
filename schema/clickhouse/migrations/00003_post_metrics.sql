-- Looks at the metrics of published targets, each slot of the schedule once. What a platform
-- does not tell is null, which is not zero. A look that is repeated replaces the one before.
create table if not exists post_metrics (
    workspace     UUID,
    account       UUID,
    platform      LowCardinality(String),
    post          UUID,
    target        Int16,                       -- its place in the post
    native_id     String codec(ZSTD(1)),
    posted_at     DateTime64(3, 'UTC') codec(Delta, ZSTD(1)),
    slot          Int16,                       -- of the schedule, from 0
    at            DateTime64(6, 'UTC') codec(Delta, ZSTD(1)),
    gone          Bool,                        -- the platform no longer has the post
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
order by (workspace, toDate(posted_at), account, post, target, slot)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1
