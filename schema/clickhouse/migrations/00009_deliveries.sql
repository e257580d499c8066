-- Tries at webhooks. A claim of a delivery is one try.
create table if not exists deliveries (
    workspace UUID,
    webhook   UUID,
    delivery  UUID,
    claim     Int32,
    event     LowCardinality(String),
    attempt   UInt16,                           -- from 1
    outcome   LowCardinality(String),           -- delivered, retried or failed
    code      UInt16,                           -- HTTP status; 0: no answer came
    seconds   Float64 codec(ZSTD(1)),           -- until the answer
    lateness  Float64 codec(ZSTD(1)),           -- seconds from the event to the end of the try
    at        DateTime64(6, 'UTC') codec(Delta, ZSTD(1))
)
engine = ReplacingMergeTree
partition by toYYYYMM(at)
order by (workspace, toDate(at), delivery, claim)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1
