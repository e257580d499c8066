-- +goose Up

-- Why an account's platform lets crier act for it no more (schema.End), and its words for
-- it. needs_reconnect follows from it: whether connecting the account again helps.
alter table accounts
    add column ended       smallint not null default 0,
    add column end_message text;
update accounts set ended = 1 where needs_reconnect;
