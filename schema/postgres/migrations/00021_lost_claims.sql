-- +goose Up

-- As on targets and comments: names the claim, for whoever got no answer to it.
alter table deliveries add column token int8;
alter table accounts
    add column renew_token int8,
    add column renew_from smallint; -- the step of the renewal before it was claimed
