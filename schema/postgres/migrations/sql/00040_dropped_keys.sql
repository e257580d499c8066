-- +goose Up

-- Whoever connects an account waits behind this: it is tried again where somebody is at it.
set local lock_timeout = '200ms';

-- Keys that a rotation of the keyset has dropped: what everything begins with that they have
-- sealed.
create table dropped_keys (
    prefix     bytea primary key,
    dropped_at timestamptz not null default now()
);

-- Nothing may be stored that no key opens any more: a process may have sealed it before the
-- rotation reached it. The argument is the column. Keys are dropped under the same lock, so that
-- what is not committed yet is seen.
-- +goose StatementBegin
create function refuse_dropped_key() returns trigger language plpgsql as $$
declare
    sealed bytea;
    before bytea;
begin
    execute format('select ($1).%I', tg_argv[0]) into sealed using new;
    if tg_op = 'UPDATE' then
        execute format('select ($1).%I', tg_argv[0]) into before using old;
    end if;
    if sealed = before or coalesce(length(sealed), 0) < 5 then
        return new;
    end if;
    perform pg_advisory_xact_lock_shared(hashtextextended('crier key ' || encode(substring(sealed for 5), 'hex'), 0));
    if exists (select from dropped_keys where prefix = substring(sealed for 5)) then
        raise exception 'what is to be stored in % of % is sealed with a key that was dropped', tg_argv[0], tg_table_name using errcode = 'CR001';
    end if;
    return new;
end
$$;
-- +goose StatementEnd

create trigger accounts_sealed before insert or update of sealed on accounts
    for each row execute function refuse_dropped_key('sealed');
create trigger webhooks_secret before insert or update of secret on webhooks
    for each row execute function refuse_dropped_key('secret');
create trigger webhooks_previous_secret before insert or update of previous_secret on webhooks
    for each row execute function refuse_dropped_key('previous_secret');
