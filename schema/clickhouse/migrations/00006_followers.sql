-- How each account does, once a day: the last look of the day stands.
create table if not exists followers (
    workspace UUID,
    account   UUID,
    platform  LowCardinality(String),
    day       Date,
    at        DateTime64(6, 'UTC'),
    followers Nullable(Int64),
    following Nullable(Int64),
    posts     Nullable(Int64)
)
engine = ReplacingMergeTree(at)
partition by toYYYYMM(day)
order by (workspace, account, day)
settings min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1
