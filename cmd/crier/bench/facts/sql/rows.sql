-- Facts of a year, by their number: the same in each run. A month has {count} of a table, from {first} on;
-- each statement makes {rows} of these, from {from} on. A fifth are of workspace 0, which has 200 accounts,
-- the others of 999 workspaces with 5 accounts each.

-- functions
create or replace function bench_workspace as k -> if(cityHash64(k, 1) % 5 = 0, 0, 1 + cityHash64(k, 2) % 999)

-- functions account
create or replace function bench_account as (k, w) -> if(w = 0, cityHash64(k, 3) % 200, 200 + (w - 1) * 5 + cityHash64(k, 3) % 5)

-- functions id
create or replace function bench_id as (what, n) -> reinterpretAsUUID(sipHash128(what, toUInt64(n)))

-- functions event id
create or replace function bench_event_id as (k, at) -> reinterpretAsUUID(bitOr(bitShiftLeft(toUInt128(toUnixTimestamp64Milli(at)), 80), bitShiftLeft(toUInt128(cityHash64(k, 4)), 12)))

-- functions platform
create or replace function bench_platform as a -> ['mastodon', 'bluesky', 'telegram', 'linkedin', 'instagram', 'facebook', 'youtube', 'threads'][a % 8 + 1]

-- functions time
create or replace function bench_time as (k, first, count, month) -> fromUnixTimestamp64Micro(toInt64(toUnixTimestamp(toDateTime(month, 'UTC')) * 1000000 + toInt64((k - first) * (2419200000000 / count)) + cityHash64(k, 5) % 60000000), 'UTC')

-- functions words
create or replace function bench_words as (k, n) -> arrayStringConcat(arrayMap(i -> ['crier', 'publishes', 'what', 'people', 'write', 'in', 'time', 'and', 'never', 'twice', 'so', 'that', 'nobody', 'has', 'to', 'look', 'after', 'it', 'spring', 'harvest', 'market', 'coffee', 'bicycle', 'river', 'window', 'morning', 'evening', 'music', 'garden', 'winter', 'letter', 'ship'][cityHash64(k, i) % 32 + 1], range(n)), ' ')

-- events
insert into events (id, type, workspace, post, account, platform, at, lateness, code, data, position)
select bench_event_id(k, at_), type, bench_id('workspace', w), bench_id('post', k), if(whole, toUUID('00000000-0000-0000-0000-000000000000'), bench_id('account', a)),
    if(whole, '', bench_platform(a)), at_, if(whole, 0, if(cityHash64(k, 7) % 500 = 0, 90, (cityHash64(k, 8) % 1000) / 5000)),
    if(type = 'target.failed', ['refused', 'rate_limited', 'token_dead', 'media_invalid'][cityHash64(k, 9) % 4 + 1], ''),
    if(whole, concat('{"post":{"id":"post_', hex(cityHash64(k, 10)), '","content":"', bench_words(k, 20), '","platforms":[{"platform":"', bench_platform(a), '","status":"posted"}]}}'), ''),
    toUnixTimestamp64Micro(at_)
from (
    select number as k, bench_workspace(k) as w, bench_account(k, w) as a, bench_time(k, {first:UInt64}, {count:UInt64}, {month:Date}) as at_,
        cityHash64(k, 6) % 3 = 0 as whole, if(whole, 'post.published', if(cityHash64(k, 11) % 20 = 0, 'target.failed', 'target.posted')) as type
    from numbers({from:UInt64}, {rows:UInt64})
)

-- post_metrics
insert into post_metrics (workspace, account, platform, post, target, native_id, posted_at, slot, at, gone,
    impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds)
select bench_id('workspace', w), bench_id('account', a), bench_platform(a), bench_id('post', p), 0, toString(cityHash64(p, 12)), posted, slot_,
    addMinutes(toDateTime64(posted, 6, 'UTC'), [15, 60, 360, 1440, 4320, 10080, 43200][slot_ + 1]), false,
    10 * grown, if(a % 8 in (4, 5), 8 * grown, null), if(a % 8 = 6, 9 * grown, null), grown, intDiv(grown, 10), intDiv(grown, 20),
    if(a % 8 = 4, intDiv(grown, 30), null), if(a % 8 = 3, intDiv(grown, 15), null), if(a % 8 = 6, 100 * grown, null)
from (
    select intDiv(number, 7) as p, toInt16(number % 7) as slot_, bench_workspace(p) as w, bench_account(p, w) as a,
        toDateTime64(bench_time(p, intDiv({first:UInt64}, 7), intDiv({count:UInt64}, 7) + 1, {month:Date}), 3, 'UTC') as posted,
        toInt64(intDiv((cityHash64(p, 13) % 1000 + if(cityHash64(p, 15) % 1000 = 0, cityHash64(p, 14) % 100000, 0)) * (slot_ + 1), 7)) as grown
    from numbers({from:UInt64}, {rows:UInt64})
)

-- deliveries
insert into deliveries (workspace, webhook, delivery, claim, event, attempt, outcome, code, seconds, lateness, at)
select bench_id('workspace', w), bench_id('webhook', w * 3 + cityHash64(k, 16) % 3), bench_event_id(k, at_), 1,
    ['post.published', 'post.failed', 'account.error', 'post.scheduled'][cityHash64(k, 17) % 4 + 1], 1,
    multiIf(h < 950, 'delivered', h < 990, 'retried', 'failed'), multiIf(h < 950, 200, h < 990, 503, 410), (cityHash64(k, 19) % 1000) / 2000, (cityHash64(k, 20) % 1000) / 1000, at_
from (
    select number as k, bench_workspace(k) as w, cityHash64(k, 18) % 1000 as h, bench_time(k, {first:UInt64}, {count:UInt64}, {month:Date}) as at_
    from numbers({from:UInt64}, {rows:UInt64})
)

-- api_usage
insert into api_usage (workspace, minute, process, key, method, route, status, requests, seconds, at)
select bench_id('workspace', w), toStartOfMinute(at_), bench_id('process', cityHash64(k, 21) % 2), bench_id('key', w * 3 + cityHash64(k, 22) % 3),
    ['GET', 'POST', 'GET', 'GET', 'POST', 'PATCH', 'DELETE', 'GET'][r + 1],
    ['/api/v1/posts', '/api/v1/posts', '/api/v1/posts/:id', '/api/v1/accounts', '/api/v1/media', '/api/v1/posts/:id', '/api/v1/posts/:id', '/api/v1/analytics/posts'][r + 1],
    if(cityHash64(k, 24) % 50 = 0, 422, 200), 1 + cityHash64(k, 25) % 50, (cityHash64(k, 26) % 1000) / 500, addMinutes(toStartOfMinute(at_), 1)
from (
    select number as k, bench_workspace(k) as w, cityHash64(k, 23) % 8 as r, toDateTime(bench_time(k, {first:UInt64}, {count:UInt64}, {month:Date}), 'UTC') as at_
    from numbers({from:UInt64}, {rows:UInt64})
)

-- feed_items
insert into feed_items (workspace, monitor, platform, native_id, author_id, author_handle, author_name, author_url, text, url, language, written_at, keywords, at)
select bench_id('workspace', w), bench_id('monitor', if(w = 0, cityHash64(k, 27) % 50, 50 + w)), ['bluesky', 'threads'][cityHash64(k, 28) % 2 + 1], concat('at://', hex(cityHash64(k, 29))),
    concat('did:plc:', hex(cityHash64(k, 30) % 100000)), concat(bench_words(cityHash64(k, 30) % 100000, 1), '.example'), bench_words(cityHash64(k, 30) % 100000, 2), '',
    bench_words(k, 20), concat('https://example.com/', hex(cityHash64(k, 29))), 'en', at_, [bench_words(k, 1)], addMilliseconds(toDateTime64(at_, 6, 'UTC'), cityHash64(k, 31) % 2000)
from (
    select number as k, bench_workspace(k) as w, toDateTime64(bench_time(k, {first:UInt64}, {count:UInt64}, {month:Date}), 3, 'UTC') as at_
    from numbers({from:UInt64}, {rows:UInt64})
)

-- inbox_items
insert into inbox_items (workspace, account, platform, post, kind, native_id, parent_id, author_id, author_handle, author_name, author_url, text, url, post_native_id,
    written_at, deleted, read_at, revision, at)
select bench_id('workspace', w), bench_id('account', a), bench_platform(a), bench_id('post', cityHash64(k, 32) % 100000), if(cityHash64(k, 33) % 4 = 0, 'mention', 'comment'), hex(cityHash64(k, 34)), '',
    hex(cityHash64(k, 30) % 100000), concat(bench_words(cityHash64(k, 30) % 100000, 1), '.example'), bench_words(cityHash64(k, 30) % 100000, 2), '', bench_words(k, 15), '', toString(cityHash64(k, 35)),
    at_, false, if(cityHash64(k, 36) % 10 = 0, null, addHours(at_, 2)), 1, toDateTime64(at_, 6, 'UTC')
from (
    select number as k, bench_workspace(k) as w, bench_account(k, w) as a, toDateTime64(bench_time(k, {first:UInt64}, {count:UInt64}, {month:Date}), 3, 'UTC') as at_
    from numbers({from:UInt64}, {rows:UInt64})
)

-- followers
insert into followers (workspace, account, platform, day, at, followers, following, posts)
select bench_id('workspace', if(a < 200, 0, 1 + intDiv(a - 200, 5))), bench_id('account', a), bench_platform(a), day_, toDateTime64(day_, 6, 'UTC'), 1000 + a + toUInt32(day_) % 1000 * 3, 300, 900
from (
    select number % 5195 as a, toDate({month:Date}) + toUInt16((intDiv(number, 5195) - intDiv({first:UInt64}, 5195)) % 28) as day_
    from numbers({from:UInt64}, {rows:UInt64})
)
