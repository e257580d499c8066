-- Requests to the API, a row for each workspace, minute, process, key, route and status.
create table if not exists api_usage (
    workspace UUID,
    minute    DateTime('UTC') codec(Delta, ZSTD(1)),
    process   UUID,
    key       UUID,
    method    LowCardinality(String),
    route     LowCardinality(String),
    status    UInt16,
    requests  UInt64 codec(T64, ZSTD(1)),
    seconds   Float64 codec(ZSTD(1)),           -- of all of them together
    at        DateTime64(6, 'UTC') codec(Delta, ZSTD(1))
)
engine = ReplacingMergeTree(at)
partition by toYYYYMM(minute)
order by (workspace, toDate(minute), minute, process, key, method, route, status)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1
