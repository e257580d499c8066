-- +goose NO TRANSACTION
-- +goose Up

-- As accounts_person before it: the newest key of a lineage, at a rotation.
drop index concurrently if exists api_keys_lineage;
create index concurrently api_keys_lineage on api_keys (lineage, id);
