-- +goose Up

set local lock_timeout = '200ms';

-- A resume of an account alone looks at what waits for that account; of an older version that still runs, at all that
-- is parked.
alter table resumes add column if not exists account text; -- its id as payloads of jobs have it; null: all that is parked

-- A disconnection ends a member's pause, which nobody could lift after it. Whoever parks for one is waited for.
select pg_advisory_xact_lock(hashtext('crier holds'));
with lifted as (
    delete from holds h using accounts a where h.kind = 8 and a.id = h.subject and a.disconnected_at is not null returning h.subject
)
insert into resumes (id) select uuidv7() where exists (select from lifted);
