-- +goose Up

-- Notices of changes come in any order, too: the newest that was taken is kept with the
-- subscription, and one that comes before the payment's waits in a row that has not begun.
alter table subscriptions
    alter column began_at drop not null,                   -- null: not paid yet, and of no effect
    add column changed_at timestamptz,                     -- of the newest change taken; null: as it was bought
    add column changed_by text[] not null default '{}';    -- the notices taken of that second
