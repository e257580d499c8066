-- +goose Up

set local lock_timeout = '200ms';

-- Mail that is to be sent, and what was sent within the last hour: one row for each kind, thing and recipient, by
-- which nobody gets more than one an hour. What a mail says is read when it is sent, and its links are made then.
create table if not exists mails (
    id         uuid primary key,
    kind       smallint not null,    -- people.MailKind
    about      uuid not null,        -- by kind: a workspace, a user or a notice
    recipient  text not null,        -- address in lower case; empty: the members of the workspace who want it
    since      timestamptz not null, -- what happened from then on belongs in it
    version    int not null default 1,      -- rises with each fact
    attempts   smallint not null default 0, -- to send it
    due_at     timestamptz,          -- of the next attempt; null: nothing is to be sent
    expires_at timestamptz not null,
    sent_at    timestamptz,          -- the last one
    unique (kind, about, recipient)
);
create index if not exists mails_due on mails (due_at) where due_at is not null;
create index if not exists mails_sent on mails (sent_at) where due_at is null;
create index if not exists mails_recipient on mails (recipient);
create index if not exists mails_about on mails (about);

-- By what whoever gets mail says that they want no more of a kind. It lets them do nothing else, and stands in
-- each mail, so it is stored as it is.
create table if not exists mail_recipients (
    email     text primary key, -- in lower case
    token     text not null unique,
    mailed_at timestamptz not null default now() -- to the day
);
create index if not exists mail_recipients_age on mail_recipients (mailed_at);

-- What somebody gets of mail, where that is not as usual.
create table if not exists mail_choices (
    email        text not null,     -- in lower case
    kind         smallint not null, -- people.MailKind
    workspace_id uuid not null,     -- zero: whichever it is about
    wanted       boolean not null,
    primary key (email, kind, workspace_id)
);
create index if not exists mail_choices_workspace on mail_choices (workspace_id);

-- What the operator tells the owners of keys.
create table if not exists notices (
    id         uuid primary key,
    subject    text not null,
    body       text not null,
    created_at timestamptz not null default now()
);

-- Addresses that users want to sign in by, until they have proven that they get mail there.
create table if not exists email_changes (
    user_id    uuid primary key references users (id) on delete cascade,
    email      text not null, -- in lower case
    hash       bytea unique,  -- SHA-256 of the token in the mail; null: it was not sent yet
    expires_at timestamptz not null
);

-- SHA-256 of the token that went by mail. Whoever has it gets mail at the invitation's address; the one of hash is
-- shown to whoever invites.
alter table invitations add column if not exists mail_hash bytea unique;

-- The key that asked a person to connect accounts; null: a member did, or the account's own link.
alter table consents add column if not exists key_id uuid;

-- Since when a key is suspended, while suspended_until is in the future.
alter table api_keys add column if not exists suspended_at timestamptz;

update api_keys set suspended_at = suspended_until - interval '15 minutes' where suspended_until > now();
