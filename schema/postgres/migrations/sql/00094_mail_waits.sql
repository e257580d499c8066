-- +goose Up

set local lock_timeout = '200ms';

-- Mail that somebody waits for (people.AwaitedMails), however much else is due.
create index if not exists mails_awaited on mails (due_at) where due_at is not null and recipient <> '' and kind in (1, 2, 3, 4);
-- Mail that is to be addressed to members.
create index if not exists mails_unaddressed on mails (due_at) where due_at is not null and recipient = '';
