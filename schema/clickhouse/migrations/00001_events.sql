-- What happened, each event once: a repetition has the same sorting key, and falls into
-- the same partition. Both follow from the event alone, never from when it arrived.
--
-- An event's id is a UUIDv7 made at its `at`, so within a day the order of ids is that of
-- time. As UUIDs, ClickHouse compares their second halves first; as numbers, it does not.
create table if not exists events (
    id        UUID,
    type      LowCardinality(String),
    workspace UUID,
    post      UUID,                        -- zero: not about a post
    account   UUID,                        -- zero: not about an account
    platform  LowCardinality(String),      -- empty: not about an account
    at        DateTime64(6, 'UTC'),
    lateness  Float64,                     -- seconds from due to done; facts of targets only
    code      LowCardinality(String),      -- error code; failed targets only
    data      String codec(ZSTD(3))        -- JSON, may be empty
)
engine = ReplacingMergeTree
partition by toYYYYMM(at)
order by (workspace, toDate(at), toUInt128(id))
-- Months that nothing is added to become one part each, which FINAL reads as it is.
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1
