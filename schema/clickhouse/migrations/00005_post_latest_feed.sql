-- Brings each look to post_latest. It counts nothing, so a repetition may pass through it. A
-- post that its platform no longer has keeps what was last known of it.
create materialized view if not exists post_latest_feed to post_latest as
select workspace, account, platform, post, target, native_id, posted_at, slot, at, gone,
    impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds
from post_metrics where not gone
