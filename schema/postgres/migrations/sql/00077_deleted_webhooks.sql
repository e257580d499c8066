-- +goose Up

-- Webhooks that were deleted, and whose deliveries are not all gone.
create table if not exists deleted_webhooks (
    id uuid primary key
);
