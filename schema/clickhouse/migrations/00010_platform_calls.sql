-- Calls to platforms, a row for each minute, process, operation and outcome. They belong to no
-- workspace.
create table if not exists platform_calls (
    minute    DateTime('UTC') codec(Delta, ZSTD(1)),
    process   UUID,
    platform  LowCardinality(String),
    operation LowCardinality(String),
    outcome   LowCardinality(String),
    calls     UInt64 codec(T64, ZSTD(1)),
    seconds   Float64 codec(ZSTD(1)),           -- of all of them together
    at        DateTime64(6, 'UTC') codec(Delta, ZSTD(1))
)
engine = ReplacingMergeTree(at)
partition by toYYYYMM(minute)
order by (toDate(minute), platform, minute, process, operation, outcome)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1
