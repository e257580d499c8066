-- What monitors found.
create table if not exists feed_items (
    workspace     UUID,
    monitor       UUID,
    platform      LowCardinality(String),
    native_id     String codec(ZSTD(1)),
    author_id     String codec(ZSTD(1)),
    author_handle String codec(ZSTD(1)),
    author_name   String codec(ZSTD(1)),
    author_url    String codec(ZSTD(1)),
    text          String codec(ZSTD(3)),
    url           String codec(ZSTD(1)),
    language      LowCardinality(String),
    written_at    DateTime64(3, 'UTC') codec(Delta, ZSTD(1)),
    keywords      Array(String) codec(ZSTD(1)),
    at            DateTime64(6, 'UTC') codec(Delta, ZSTD(1)) -- when it was found
)
engine = ReplacingMergeTree
partition by toYYYYMM(written_at)
order by (workspace, monitor, toDate(written_at), native_id)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1
