-- +goose Up

-- What is used of a limit in a period: of an account's day (daily caps, in targets), of
-- a workspace's month (plans, in entries; kept only where the plan has a limit). The
-- check refuses the transaction that would go over; it holds after a limit was lowered
-- too, since only what reserves writes "most".
create table counters (
    subject uuid not null, -- an account, or a workspace
    period  date not null, -- UTC: the day, or the first of the month
    used    int not null,
    most    int not null,  -- the limit by which was reserved last
    primary key (subject, period),
    constraint counters_full check (used <= most)
) with (fillfactor = 50);

-- The UTC day of whose cap the target holds a unit; null: it holds none.
alter table targets add column charged_on date;
