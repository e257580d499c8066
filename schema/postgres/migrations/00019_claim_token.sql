-- +goose Up

-- Names the claim, which whoever sent it may have got no answer to: it takes up again what
-- is claimed under this name, since no call was made.
alter table targets add column token int8;
alter table comments add column token int8;
