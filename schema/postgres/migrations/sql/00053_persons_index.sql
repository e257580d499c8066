-- +goose NO TRANSACTION
-- +goose Up

-- Nobody waits for this statement; one that is cut off begins anew.
drop index concurrently if exists accounts_person;
create index concurrently accounts_person on accounts (person) where person is not null;
