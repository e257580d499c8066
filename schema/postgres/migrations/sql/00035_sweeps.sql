-- +goose Up

-- How far each sweep is (schema.Sweep): all processes make one pass together.
create table sweeps (
    name         text primary key,
    workspace_id uuid not null, -- the pass goes on after these
    due_at       timestamptz not null,
    id           uuid not null,
    open_id      uuid not null, -- the first open row that the pass has met; zero: none
    began_at     timestamptz not null,
    ended_at     timestamptz    -- null: it goes on
) with (fillfactor = 50);
