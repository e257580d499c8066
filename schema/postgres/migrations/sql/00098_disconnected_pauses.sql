-- +goose Up

set local lock_timeout = '200ms';

-- A disconnection ends a member's pause, which nobody could lift after it. Whoever parks for one is waited for. An
-- older version that still runs leaves a pause where it disconnects: a reconnect and a resume end it.
select pg_advisory_xact_lock(hashtext('crier holds'));
with lifted as (
    delete from holds h using accounts a where h.kind = 8 and a.id = h.subject and a.disconnected_at is not null returning h.subject
)
insert into resumes (id) select uuidv7() where exists (select from lifted);
