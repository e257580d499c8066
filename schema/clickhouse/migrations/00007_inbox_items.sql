-- What people wrote to accounts: of each, the newest revision stands.
create table if not exists inbox_items (
    workspace      UUID,
    account        UUID,
    platform       LowCardinality(String),
    post           UUID,                        -- zero: not under a post of crier's
    kind           LowCardinality(String),      -- comment or mention
    native_id      String codec(ZSTD(1)),
    parent_id      String codec(ZSTD(1)),
    author_id      String codec(ZSTD(1)),
    author_handle  String codec(ZSTD(1)),
    author_name    String codec(ZSTD(1)),
    author_url     String codec(ZSTD(1)),
    text           String codec(ZSTD(3)),
    url            String codec(ZSTD(1)),
    post_native_id String codec(ZSTD(1)),
    written_at     DateTime64(3, 'UTC') codec(Delta, ZSTD(1)),
    deleted        Bool,
    read_at        Nullable(DateTime64(3, 'UTC')),
    revision       Int64,
    at             DateTime64(6, 'UTC') codec(Delta, ZSTD(1)) -- when it was read from the platform
)
engine = ReplacingMergeTree(revision)
partition by toYYYYMM(written_at)
order by (workspace, account, native_id)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1
