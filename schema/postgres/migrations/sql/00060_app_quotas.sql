-- +goose Up

-- What an app has used of a quota that its platform gives by the day.
create table app_quotas (
    quota text not null,
    day   date not null, -- as the platform counts days
    used  bigint not null,
    primary key (quota, day)
);
