-- +goose Up

set local lock_timeout = '200ms';

-- An account may be paused by its workspace and by the operator at once: a row for each kind of hold. Claims of an
-- older version that still runs keep to all of them. What it writes by "on conflict (subject)" it cannot, until it is
-- stopped: making a sandbox, beginning a deletion, crier pause, --hold-overdue, and marking a restore. All fail whole and
-- can be tried again by this version. Its crier held list ends where it meets a member's pause.
create unique index if not exists holds_subject_kind on holds (subject, kind);
drop index if exists holds_subject;
