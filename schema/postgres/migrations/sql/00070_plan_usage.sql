-- +goose Up

-- What workspaces have used of their plans, by month (UTC), in entries; kept only where the plan
-- has a limit. Who adds to a month inserts its next version and deletes the one before: an
-- updated row would have all its versions looked through by each commit, for as long as a
-- transaction holds xmin, while the newest version is the first that the key finds.
create table plan_usage (
    month        date not null, -- its first day
    workspace_id uuid not null,
    version      int not null,
    used         int not null,
    most         int not null,  -- the limit by which was taken last
    primary key (month, workspace_id, version),
    constraint plan_usage_full check (used <= most)
);

insert into plan_usage select c.period, c.subject, 1, c.used, c.most from counters c join workspaces w on w.id = c.subject;
delete from counters c using workspaces w where w.id = c.subject;
comment on table counters is 'what accounts have used of their daily caps; subject: the account, period: the day (UTC)';
