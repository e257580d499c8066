"""What the API says and takes. Made by scripts/generate.py of the API's description: change neither by hand.

A model that is sent leaves out what was not set. A model that is read keeps what this package does not know, and texts
of a set may be others than those named here.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal, TypeAlias

from ._model import Model

PlatformName: TypeAlias = Literal["twitter", "instagram", "facebook", "linkedin", "tiktok", "threads", "bluesky", "youtube", "pinterest", "telegram", "mastodon", "google-business"] | str
Confidence: TypeAlias = Literal["none", "low", "medium", "high"] | str
EventName: TypeAlias = Literal["post.scheduled", "post.published", "post.failed", "post.cancelled", "post.updated", "thread.scheduled", "thread.published", "thread.partially_published", "thread.failed", "account.connected", "account.disconnected", "account.error", "account.token_expiring", "webhook.disabled", "feed.matched", "comment.received", "mention.received"] | str
Keywords: TypeAlias = list[str]
PlatformContent: TypeAlias = dict[str, str]
LimitSet: TypeAlias = Literal["specification", "platform"] | str


class Account(Model):
    id: str
    """The accountId of posts."""
    platform: PlatformName
    source: Literal["api", "dashboard"] | str
    name: str
    """Handle or title, to show."""
    native_id: str
    """Id on the platform."""
    server: str | None = None
    """Where it lives, on platforms with many servers."""
    brand_id: str | None
    brand_name: str | None
    is_connected: bool
    """false once the platform lets crier act for it no more; its posts fail at once."""
    needs_reconnect: bool
    """It has ended, and connecting it again helps."""
    error: AccountProblem | None = None
    paused: AccountPause | None = None
    """Since when nothing goes out on it; absent where it is not paused."""
    expires_at: datetime | None
    """Of the access token, where that is known. crier renews it where it can."""
    created_at: datetime


class AccountProblem(Model):
    code: str
    message: str


class AccountPause(Model):
    """A pause of an account. Where its workspace and the operator have paused it, the operator's is shown."""
    since: datetime
    reason: str | None = None
    """As it was given; absent where none was."""
    by: Literal["member", "operator"] | str
    """member: somebody in the workspace, or a key of it, who can also resume it; operator: of the server, who alone
    resumes it.
    """


class AccountHealth(Model):
    account_id: str
    platform: PlatformName
    name: str
    brand_id: str | None
    status: Literal["healthy", "expired", "error"] | str
    """expired: it has to be connected again. error: it could not be checked, or its platform suspended, deactivated or
    deleted it.
    """
    needs_reconnect: bool
    checked_at: datetime
    expires_at: datetime | None
    error: AccountProblem | None = None
    reconnect_url: str | None = None
    """Where to connect it again, unless it is healthy and was granted all that is asked for: a page for its owner's
    browser, or, where the platform has none, the operation that takes credentials.
    """
    missing_permissions: list[MissingPermission] | None = None
    """What is not read of the account, or not all of it, since it was connected without a permission. It is published
    to all the same. Connected again with them, it is read from then on.
    """


class MissingPermission(Model):
    what: str
    """Such as metrics, followers, comments, mentions, search, retention."""
    permissions: list[str]
    """As the platform calls them; empty where it does not say which."""
    partly: bool
    """Whether something of it is read without them."""
    asked_on_consent: bool
    """Whether connecting the account again asks for them: false where the operator's app with the platform was not
    given them.
    """


class AccountUpdate(Model):
    brand_id: str | None = None
    """A brand of the workspace; null for none."""
    name: str | None = None
    """To show; connecting the account again brings the platform's own back."""


class Attempt(Model):
    """One line of a post's timeline. What is about the whole post names no platform."""
    at: datetime
    event: Literal["created", "updated", "cancelled", "retried", "processing", "deferred", "retrying", "outcome_unknown", "look_failed", "not_found", "found", "incomplete", "entry_failed", "published", "failed", "skipped"] | str
    """- created, updated, cancelled, retried: by a user. - processing: the platform works on the media or the post,
    crier comes back. - deferred: the platform, a limit, a failing server or a pause (code account_paused,
    platform_paused or workspace_paused) holds the call back; it uses up no attempt. - retrying: a call failed and
    another follows. - outcome_unknown: the answer of a call was lost; crier looks for the post before anything
    else. - look_failed: the platform could not be asked; the outcome stays open and crier asks again at nextAt. It
    uses up no attempt. - not_found, found: what that look came to. - incomplete: it is published, without something
    that it was to have, such as a thumbnail; message says why. - entry_failed: an entry of a thread failed for
    good, and the thread continues. - published, failed: the end of an entry or a first comment. - skipped: a first
    comment whose entry was not published.
    """
    platform: PlatformName | None = None
    account_id: str | None = None
    entry: int | None = None
    """Position of the entry, from 0."""
    first_comment: int | None = None
    """Position of the first comment it is about, from 0; missing where it is about the entry."""
    failed_calls: int | None = None
    """How many calls had failed by then."""
    code: str | None = None
    message: str | None = None
    next_at: datetime | None = None
    """When the next try is due."""
    platform_id: str | None = None
    """Id on the platform."""
    url: str | None = None


class BestTimesResponse(Model):
    warnings: Warnings | None = None
    from_: date
    to: date
    timezone: str
    metric: str
    method: str
    confidence: Confidence
    note: str | None = None
    """Why the confidence is not high."""
    posts: int
    """Of the history of what is asked about."""
    other_posts: int
    """Of the workspace's other accounts."""
    times: list[BestTimesResponseTime]


class Detail(Model):
    """One thing that is wrong with a request, or worth a warning."""
    field: str
    platform: PlatformName | None = None
    code: str
    message: str
    limit: int | None = None
    """Of daily_limit_reached and plan_limit_reached, what the limit is."""
    next_free_day: date | None = None
    """Of daily_limit_reached, the next UTC day on which the account has room; of a plan's posts, the first day of the
    next month.
    """


class BestTimesResponseTime(Model):
    weekday: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] | str
    hour: int
    lift: float
    """What is expected relative to the mean post of the account: 0.2 is a fifth more."""
    low: float
    """The expectation is above it nine times out of ten."""
    high: float
    posts: int
    """Of the own history in this hour."""
    confidence: Confidence


class Brand(Model):
    id: str
    name: str
    created_at: datetime
    updated_at: datetime


class BulkCreate(Model):
    posts: list[PostCreate]
    """The posts, which succeed and fail independently."""
    timezone: str | None = None
    """Of entries that name none."""
    dry_run: bool | None = None
    """Judge the entries and make nothing. The answer is 200 and has no posts."""


class PostCreate(Model):
    content: str | None = None
    """The text of the post. How long it may be differs by platform: GET /platforms says. A platform gets a text of its
    own by platformContent, an account by platforms.
    """
    platforms: list[TargetInput]
    """Where the post goes."""
    media_items: list[MediaItem] | None = None
    """What is published beside the text, in this order."""
    scheduled_for: datetime | str | None = None
    """ISO 8601; 5 minutes to 90 days ahead."""
    timezone: str | None = None
    """IANA name; that of a scheduledFor without an offset. A post in a queue has the queue's unless it names one."""
    platform_settings: PlatformSettings | None = None
    first_comment: str | None = None
    """Short for firstComments with target 0."""
    first_comments: list[FirstComment] | None = None
    """Comments that are posted under the post once it is out."""
    brand_id: str | None = None
    """A brand that the post is filed under. A platform without an accountId means the brand's only account of it; an
    account that is not in the brand is a warning (account_of_another_brand).
    """
    external_id: str | None = None
    """The caller's own id of the post."""
    metadata: dict[str, str] | None = None
    """The caller's own data."""
    status: Literal["draft", "scheduled", "immediate"] | str | None = None
    """draft: it waits until it is scheduled. scheduled: it goes out at scheduledFor. immediate: as publishNow."""
    publish_now: bool | None = None
    """Publish at once."""
    queue: bool | None = None
    """Into the next free slot of the default queue, of the brand or else of the workspace. Slots on days that are full
    for one of the accounts are passed over.
    """
    queue_id: str | None = None
    """Into the next free slot of this queue."""


class Target(Model):
    platform: PlatformName
    """The platform that the account is on."""
    account_id: str | None = None
    """May be left out where a name of the platform is enough."""
    content: str | None = None
    """Overrides the post's content for this account."""


class MediaItem(Model):
    """A media item, by url or by mediaId; the url of an upload is the same as its mediaId. What is known of an upload
    is checked against each platform at once; a url is fetched and checked before it is published.
    """
    type: Literal["image", "video", "pdf"] | str | None = None
    """What the file is; of an upload it is known."""
    url: str | None = None
    """A public http or https URL."""
    media_id: str | None = None
    """The id of an upload. In an answer its url is beside it."""
    alt_text: str | None = None
    """Describes a picture or a video to people who do not see it."""
    fit: Literal["none", "contain", "cover"] | str | None = None
    """What happens if a platform does not accept a picture for its format, bytes, pixels or aspect ratio: it is
    refused (none), or the platform gets a copy that it accepts, smaller, all of it with white bars where the aspect
    ratio needs them (contain) or cropped around its middle (cover). A warning says so for each platform; the upload
    itself stays as it is. Moving pictures and pictures below a platform's minimum size are refused all the same;
    videos and documents are not changed. For instagram, threads, pinterest and google-business, which fetch
    pictures themselves, the picture has to be an upload. HEIC and AVIF become JPEG with none too.
    """
    keep_metadata: bool | None = None
    """Publishes the file with its metadata. Otherwise what says where, when and by whom it was made is removed from
    what platforms get: Exif (but how the picture is turned), XMP, IPTC, comments, locations of films. The upload
    itself stays as it is.
    """


class PlatformSettings(Model):
    """Options by platform. Those of a platform that the post does not go to are checked too, and have no effect. A
    setting that is not known is ignored and named in `warnings`; one that may have been meant to say who sees the
    post is refused.
    """
    twitter: TwitterSettings | None = None
    instagram: InstagramSettings | None = None
    facebook: FacebookSettings | None = None
    linkedin: LinkedInSettings | None = None
    tiktok: TiktokSettings | None = None
    threads: ThreadsSettings | None = None
    bluesky: BlueskySettings | None = None
    youtube: YoutubeSettings | None = None
    pinterest: PinterestSettings | None = None
    telegram: TelegramSettings | None = None
    mastodon: MastodonSettings | None = None
    google_business: GoogleBusinessSettings | None = None


class TwitterSettings(Model):
    """Of a post on X. In a thread they apply to the first entry, except madeWithAi and paidPartnership, which apply to
    all.
    """
    content: str | None = None
    """Overrides the post's content on this platform."""
    reply_settings: Literal["following", "mentionedUsers", "subscribers", "verified"] | str | None = None
    """Who may reply; anybody where it is left out. In a thread, to its first entry."""
    poll: TwitterSettingsPoll | None = None
    """Of a post without media and quote; in a thread, the first entry's."""
    quote_tweet_id: str | None = None
    """The post that is quoted, by one without media; in a thread, by the first entry. Since 16 April 2026 X accepts
    quotes only from some apps.
    """
    community_id: str | None = None
    """The community it is posted to; in a thread, the first entry."""
    share_with_followers: bool | None = None
    """Whether a post for subscribers only is announced to all followers."""
    for_super_followers_only: bool | None = None
    """Whether only subscribers see it."""
    made_with_ai: bool | None = None
    """Discloses media that was made with AI."""
    paid_partnership: bool | None = None
    """Discloses paid promotion."""
    tagged_user_ids: list[str] | None = None
    """Who is tagged in the media; in a thread, in the first entry's."""


class TwitterSettingsPoll(Model):
    """Of a post without media and quote; in a thread, the first entry's."""
    options: list[str]
    """What can be chosen, in this order: 2 to 4 options of at most 25 characters."""
    duration_minutes: int
    """Minutes for which it is open."""


class InstagramSettings(Model):
    """Of a post on Instagram. Which of them go together depends on whether it is a picture, a carousel, a reel or a
    story.
    """
    content: str | None = None
    """Overrides the post's content on this platform."""
    media_type: Literal["REELS", "STORIES"] | str | None = None
    """STORIES makes a story of one picture or video, which shows no text. Left out, one picture is a post of the feed,
    one video a reel, several items a carousel.
    """
    share_to_feed: bool | None = None
    """Whether a reel is shown in the feed too."""
    cover_url: str | None = None
    """The picture that a reel is shown by, at a public address or that of an upload."""
    thumb_offset: int | None = None
    """Of a reel without coverUrl, the moment that it is shown by, in milliseconds."""
    audio_name: str | None = None
    """What a reel's own sound is called."""
    collaborators: list[str] | None = None
    """Who is invited to be named as author too; not of stories."""
    user_tags: list[InstagramSettingsUserTag] | None = None
    """Who is in the picture or video; of a carousel, in its first item."""
    location_id: str | None = None
    """The id of a place's page; not of stories."""
    trial_params: InstagramSettingsTrialParams | None = None
    """Makes a reel a trial, which is shown to those who do not follow the account."""


class InstagramSettingsUserTag(Model):
    username: str
    """The name of the account that is tagged, without @: 1 to 30 letters, digits, dots and underscores."""
    x: float | None = None
    """Of pictures, where: 0 is the left edge."""
    y: float | None = None
    """0 is the upper edge."""


class InstagramSettingsTrialParams(Model):
    """Makes a reel a trial, which is shown to those who do not follow the account."""
    graduation_strategy: Literal["MANUAL", "SS_PERFORMANCE"] | str
    """Who decides that it is shown to all: its author, or Instagram by how it does."""


class FacebookSettings(Model):
    """Of a post on a Facebook page."""
    content: str | None = None
    """Overrides the post's content on this platform."""
    media_type: Literal["FEED", "REELS", "STORIES"] | str | None = None
    """A reel is one video, a story one image or one video; a story shows no text and has no first comment."""
    link: str | None = None
    """Of a post without media. Facebook shows a preview of the page."""
    title: str | None = None
    """Of a video."""
    place: str | None = None
    """The id of a place's page."""


class LinkedInSettings(Model):
    """Of a post on LinkedIn, which has media, an article or a poll: one of them at most, but that an article may have
    an image.
    """
    content: str | None = None
    """Overrides the post's content on this platform."""
    visibility: Literal["PUBLIC", "CONNECTIONS", "LOGGED_IN"] | str | None = None
    """Who sees the post: anybody, connections of its author, or whoever is signed in to LinkedIn. PUBLIC where it is
    left out.
    """
    feed_distribution: Literal["MAIN_FEED", "NONE"] | str | None = None
    """Whether the post is shown in feeds."""
    is_reshare_disabled_by_author: bool | None = None
    """Whether others are kept from sharing the post again. They may where it is left out."""
    title: str | None = None
    """Of a video or a document; a document without one is called Document."""
    article: LinkedInSettingsArticle | None = None
    """A link with what is shown of it, since LinkedIn reads nothing of the page. Only of a post without media, except
    one image, which becomes its thumbnail.
    """
    poll: LinkedInSettingsPoll | None = None
    """Of a post without media and article."""


class LinkedInSettingsArticle(Model):
    """A link with what is shown of it, since LinkedIn reads nothing of the page. Only of a post without media, except
    one image, which becomes its thumbnail.
    """
    source: str
    """The address of the page."""
    title: str
    """What is shown as the title of the page."""
    description: str | None = None
    """What is shown below the title; nothing where it is left out."""


class LinkedInSettingsPoll(Model):
    """Of a post without media and article."""
    question: str
    """What is asked, in at most 140 characters."""
    options: list[str]
    """What can be chosen, in this order: 2 to 4 options of at most 30 characters."""
    duration: Literal["ONE_DAY", "THREE_DAYS", "SEVEN_DAYS", "FOURTEEN_DAYS"] | str | None = None
    """For how many days it is open: 1, 3, 7 or 14; three where it is left out."""


class TiktokSettings(Model):
    """Of a video on TikTok. privacy is required; without an object for tiktok a post to it is refused."""
    content: str | None = None
    """Overrides the post's content on this platform."""
    privacy: Literal["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"] | str | None = None
    """Who may see the video: required of a post to tiktok, and one that the account enables. Of an app that TikTok has
    not audited it accepts only SELF_ONLY, which a warning says (setting_private).
    """
    disable_comment: bool | None = None
    """Nobody may comment. False is refused where the account has comments turned off; left out, it is as the account
    has it. So are the next two.
    """
    disable_duet: bool | None = None
    """Nobody may make a duet with the video."""
    disable_stitch: bool | None = None
    """Nobody may use parts of the video in theirs."""
    video_cover_timestamp_ms: int | None = None
    """The frame that is shown before the video plays, in milliseconds from its beginning; its first one where it is
    left out.
    """
    brand_content_toggle: bool | None = None
    """It is paid for by a brand, which TikTok shows (paid partnership). Not with SELF_ONLY."""
    brand_organic_toggle: bool | None = None
    """It promotes a business of the account itself, which TikTok shows (promotional content)."""
    is_aigc: bool | None = None
    """It was made with AI, which TikTok shows."""


class ThreadsSettings(Model):
    """Of the post, or of the first entry of a thread."""
    content: str | None = None
    """Overrides the post's content on this platform."""
    reply_control: Literal["everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"] | str | None = None
    """Who may reply; the profile's own setting where it is left out."""
    topic_tag: str | None = None
    """The topic; if it is left out, Threads uses the text's first hashtag."""
    link_attachment: str | None = None
    """Shown below a post without media, in place of the text's first link."""
    quote_post_id: str | None = None
    """The id of the post that is quoted."""
    poll: ThreadsSettingsPoll | None = None
    """Of a post without media."""


class ThreadsSettingsPoll(Model):
    """Of a post without media."""
    options: list[str]
    """What can be chosen, in this order: 2 to 4 options of at most 25 characters."""


class BlueskySettings(Model):
    """Of a post on Bluesky."""
    content: str | None = None
    """Overrides the post's content on this platform."""
    langs: list[str] | None = None
    """The languages of the text, as BCP 47 tags."""
    card: bool | BlueskyCard | None = None
    """The preview of a page below a text without media: by default of the first link of the text, with what the page
    says of itself. false: none. An object says what it shows; in a thread it is of the first entry.
    """


class BlueskyCard(Model):
    """What is left out is read from the page, unless there is a title. Not of a post with media."""
    url: str | None = None
    """The page; the first link of the text where it is left out."""
    title: str | None = None
    """With a title nothing is read from the page."""
    description: str | None = None
    """What is shown below the title, in at most 1,000 characters; none where there is a title and this is left out."""
    thumbnail_url: str | None = None
    """A picture, at a public address or that of an upload. One above 1,000,000 bytes is made smaller."""


class YoutubeSettings(Model):
    """Of a video on YouTube. title is required; without an object for youtube a post to it is refused."""
    content: str | None = None
    """Overrides the post's content on this platform."""
    title: str | None = None
    """Required of a post to youtube; content is the description. Neither may hold < or >."""
    privacy_status: Literal["public", "unlisted", "private"] | str | None = None
    """Who may see the video: anybody; whoever has its address; only its owner and whom they name. public where it is
    left out.
    """
    tags: list[str] | None = None
    """Together 500 characters, with a comma between two and quotes around one that has a space."""
    category_id: str | None = None
    """Such as 22, people and blogs, which is YouTube's own choice."""
    default_language: str | None = None
    """Of title and description."""
    default_audio_language: str | None = None
    """That is spoken."""
    self_declared_made_for_kids: bool | None = None
    """Whether the video is made for kids; as the channel says if it is left out. Such a video has no comments."""
    contains_synthetic_media: bool | None = None
    """Discloses realistic content that is altered or synthetic."""
    has_paid_product_placement: bool | None = None
    """Discloses paid promotion."""
    license: Literal["youtube", "creativeCommon"] | str | None = None
    """The licence that it is published under: YouTube's standard one, or Creative Commons. Where it is left out,
    YouTube chooses.
    """
    embeddable: bool | None = None
    """Whether other sites may show it."""
    public_stats_viewable: bool | None = None
    """Whether anybody may see its extended statistics; views and likes are shown all the same. Where it is left out,
    YouTube chooses.
    """
    notify_subscribers: bool | None = None
    """Whether subscribers of the channel are told of the video. They are where it is left out."""
    playlist_ids: list[str] | None = None
    """Playlists of the channel, to which the video is added."""
    thumbnail_url: str | None = None
    """A JPEG or PNG of up to 50 MB, at a public address or that of an upload. Whoever owns the channel has to have
    verified a telephone number.
    """


class PinterestSettings(Model):
    """Of a pin on Pinterest."""
    content: str | None = None
    """Overrides the post's content on this platform."""
    title: str | None = None
    """Of the pin; content is its description."""
    board_id: str | None = None
    """Another board of the same person, or a group board of theirs, in place of the account's."""
    board_section_id: str | None = None
    """A section of that board, or of the account's."""
    link: str | None = None
    """Where a click on the pin leads."""
    dominant_color: str | None = None
    """The colour that stands for the picture, as # and six hex digits, such as #6E7874. Where it is left out,
    Pinterest chooses.
    """
    cover_image_url: str | None = None
    """The picture that a video is shown by, at a public address or that of an upload."""
    cover_image_key_frame_time: int | None = None
    """Of a video without coverImageUrl, the second that it is shown by; 1 where both are left out."""


class TelegramSettings(Model):
    """Of a message that the bot sends to its chat."""
    content: str | None = None
    """Overrides the post's content on this platform."""
    parse_mode: Literal["HTML", "MarkdownV2", "Markdown"] | str | None = None
    """How the text is marked up; not at all where it is left out."""
    disable_notification: bool | None = None
    """Whether readers are notified without a sound. Where it is left out, with one."""
    link_preview_options: TelegramSettingsLinkPreviewOptions | None = None
    """Of posts without media."""


class TelegramSettingsLinkPreviewOptions(Model):
    """Of posts without media."""
    is_disabled: bool | None = None
    """Whether there is no preview. There is one where it is left out and the text has a link."""
    url: str | None = None
    """Shown in place of the text's first link."""
    prefer_small_media: bool | None = None
    """Whether the picture of the preview is made small. Only with url, and where Telegram can; else it has no effect."""
    prefer_large_media: bool | None = None
    """Whether the picture of the preview is made large. Only with url, and where Telegram can; else it has no effect."""
    show_above_text: bool | None = None
    """Whether the preview stands above the text. It stands below where this is left out."""


class MastodonSettings(Model):
    """Of a status on Mastodon, or on a server that speaks its API. In a thread they apply to all entries, except poll."""
    content: str | None = None
    """Overrides the post's content on this platform."""
    visibility: Literal["public", "unlisted", "private", "direct"] | str | None = None
    """Who sees it: anybody; anybody, but not in public timelines; followers; whom it mentions. public where it is left
    out.
    """
    spoiler_text: str | None = None
    """A content warning, as long as a text may be: 500 characters unless the account's server has another limit."""
    sensitive: bool | None = None
    """Blurs the media."""
    language: str | None = None
    """ISO 639-1."""
    poll: MastodonSettingsPoll | None = None
    """Of a post without media; in a thread, the first entry's."""


class MastodonSettingsPoll(Model):
    """Of a post without media; in a thread, the first entry's."""
    options: list[str]
    """At most 4 unless the account's server has another limit."""
    expires_in: int
    """Seconds for which it is open: 300 to 2,629,746 unless the account's server has other limits."""
    multiple: bool | None = None
    """Whether more than one option can be chosen."""
    hide_totals: bool | None = None
    """Whether the counts are hidden until it is over."""


class GoogleBusinessSettings(Model):
    """Of a local post on a Google Business Profile."""
    content: str | None = None
    """Overrides the post's content on this platform."""
    topic_type: Literal["STANDARD", "EVENT", "OFFER"] | str | None = None
    """By default OFFER where there is an offer, else EVENT where there is an event, else STANDARD."""
    language_code: str | None = None
    """Of the text, such as en or pt-BR; by default Google finds out."""
    call_to_action: GoogleBusinessSettingsCallToAction | None = None
    """Not of an OFFER, whose button opens redeemOnlineUrl."""
    event: GoogleBusinessSettingsEvent | None = None
    """Required of an EVENT and an OFFER, which end with it; in the location's own time."""
    offer: GoogleBusinessSettingsOffer | None = None
    """What is offered while the event lasts; of an OFFER alone."""


class GoogleBusinessSettingsCallToAction(Model):
    """Not of an OFFER, whose button opens redeemOnlineUrl."""
    action_type: Literal["BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"] | str
    """What the button says: book, order, shop, learn more, sign up, or call."""
    url: str | None = None
    """What the button opens; required unless it is CALL, which calls the location and has none."""


class GoogleBusinessSettingsEvent(Model):
    """Required of an EVENT and an OFFER, which end with it; in the location's own time."""
    title: str
    """What the event or the offer is called, in at most 58 characters."""
    start_date: str
    """The day on which it begins, such as 2026-12-07."""
    start_time: str | None = None
    """When it begins on that day, such as 09:30; at its beginning where it is left out."""
    end_date: str
    """The day on which it ends, such as 2026-12-13. The end has to be after the beginning."""
    end_time: str | None = None
    """When it ends on that day, such as 18:00; at its end where it is left out."""


class GoogleBusinessSettingsOffer(Model):
    """What is offered while the event lasts; of an OFFER alone."""
    coupon_code: str | None = None
    """The code to show or enter; none where it is left out."""
    redeem_online_url: str | None = None
    """Where the offer is taken up online, and what its button opens; an http or https address."""
    terms_conditions: str | None = None
    """The terms and conditions of the offer; none are shown where they are left out."""


class FirstComment(Model):
    target: int | None = None
    """The entry it belongs to; 0 is the main post."""
    text: str
    """The text of the comment."""


class BulkResponse(Model):
    results: list[BulkResult]
    summary: BulkResponseSummary
    warnings: Warnings | None = None


class BulkResult(Model):
    index: int
    success: bool
    post: Post | None = None
    """What was made; absent where success is false, and from a dry run."""
    error: Error | None = None
    warnings: Warnings | None = None


class Post(Model):
    id: str
    status: Literal["draft", "scheduled", "processing", "posted", "partially_failed", "failed", "cancelled"] | str
    content: str
    scheduled_for: datetime | None = None
    """Missing on a draft without a time."""
    timezone: str
    platforms: list[PlatformEntry]
    media_items: list[MediaItem]
    first_comments: list[FirstComment]
    """As requested; what became of them is in platforms."""
    platform_settings: PlatformSettings
    brand_id: str | None = None
    thread_id: str | None = None
    """Of a post that is a thread's."""
    queue_id: str | None = None
    """The queue whose slot scheduledFor is."""
    external_id: str | None = None
    metadata: dict[str, str] | None = None
    is_api_post: bool
    created_at: datetime
    updated_at: datetime
    warnings: list[Detail] | None = None
    """What was accepted and may not be what was meant."""


class PlatformEntry(Model):
    platform: PlatformName
    account_id: str
    content_override: str | None = None
    """The text that this account gets instead of the post's content, where it was given one as the content of its
    entry in platforms.
    """
    status: Literal["pending", "posted", "failed", "cancelled"] | str
    post_id: str | None = None
    """Id on the platform."""
    post_url: str | None = None
    posted_at: datetime | None = None
    previous_error: str | None = None
    """Why the last try failed, while it is tried again."""
    error: Cause | None = None
    """Why it failed for good. While it is pending, outcome_unknown alone: the answer of a call was lost, and crier
    looks for the post.
    """
    held: Held | None = None
    """Why nothing of it goes out at present."""
    first_comments: list[CommentRecord] | None = None


class Cause(Model):
    code: str
    message: str


class Held(Model):
    """The operator holds it, or a member has paused its account. What is paused goes out when it is resumed, or ends
    as missed_deadline; what is under review after a restore waits for a person; what is being deleted goes out no
    more.
    """
    reason: Literal["workspace_paused", "account_paused", "platform_paused", "under_review", "workspace_deleting", "account_deleting"] | str
    by: Literal["member", "operator"] | str | None = None
    """Who has paused it; absent where it is no pause."""
    message: str | None = None
    """The reason, where one was given."""
    since: datetime


class CommentRecord(Model):
    """What became of a first comment."""
    target: int
    status: Literal["posted", "failed", "skipped"] | str
    comment_id: str | None = None
    url: str | None = None
    posted_at: datetime | None = None
    error: Cause | None = None


class Error(Model):
    code: Literal["validation_error", "account_ambiguous", "invalid_state", "unauthorized", "forbidden", "key_unconfirmed", "plan_limit_reached", "not_found", "method_not_allowed", "idempotency_conflict", "paused_by_operator", "rate_limit_exceeded", "daily_limit_reached", "payload_too_large", "internal_error", "unavailable"] | str
    message: str
    documentation: str
    """The page that explains the code."""
    details: list[Detail] | None = None
    """All that is wrong with the request; of account_ambiguous, the accounts to choose from."""


class BulkResponseSummary(Model):
    total: int
    succeeded: int
    failed: int


class ConnectBegunResponse(Model):
    auth_url: str
    """The platform's page, to open in the browser of the person whose account it is."""
    expires_at: datetime
    """Until when the person may come back from it."""
    warnings: Warnings | None = None


class ConnectWay(Model):
    platform: PlatformName
    method: Literal["oauth", "app_password", "bot_token"] | str
    configured: bool
    """Whether accounts can be connected on this server."""
    message: str | None = None
    """What is missing, where it is not configured."""


class DeliveryRecord(Model):
    id: str
    event: EventName
    event_id: str
    """The id in the body that was sent; the same over retries."""
    status: Literal["delivered", "failed", "pending"] | str
    """Of "pending", a retry follows."""
    response_code: int | None
    """null where there was no answer."""
    response_time_ms: int
    retry_count: int
    error: str | None
    response: str | None
    """The first 1024 bytes of what the receiver answered to the last try, where that failed."""
    delivered_at: datetime | None = None
    """When it ended: when the receiver took it, or was tried for the last time. Absent while a try follows."""
    queued_at: datetime
    redelivery_of: str | None = None
    """The delivery that this one repeats."""


class EntitiesSelection(Model):
    selection_token: str
    """Names the connection that a person has allowed."""
    entity_ids: list[str | int]
    """Ids of the pages, boards, locations or channels to connect."""
    brand_id: str | None = None
    """Of the accounts; by default that of GET /connect/{platform}."""


class Entity(Model):
    id: str
    name: str
    kind: str
    """What the platform calls it: page, organization, person, …"""


class EventAccount(Model):
    id: str
    platform: PlatformName
    name: str
    """Handle or title, to show."""
    native_id: str
    """Id on the platform."""
    server: str | None = None
    """Where it lives, on platforms with many servers."""
    brand_id: str | None = None
    is_connected: bool
    needs_reconnect: bool
    """Only its owner can help."""


class EventItem(Model):
    id: str
    kind: Literal["comment", "mention"] | str
    platform: PlatformName
    account_id: str
    post_id: str | None = None
    native_id: str
    author: EventItemAuthor | None = None
    text: str | None = None
    url: str | None = None
    written_at: datetime


class EventItemAuthor(Model):
    id: str | None = None
    handle: str | None = None
    name: str | None = None
    url: str | None = None


class EventPost(Model):
    id: str
    content: str
    status: Literal["draft", "scheduled", "published", "failed", "cancelled"] | str
    """Reads "published" once any platform is posted, where a post reads "posted" or "partially_failed"."""
    scheduled_for: datetime | None = None
    external_id: str | None = None
    metadata: dict[str, str] | None = None
    platforms: list[EventPlatform]
    published_at: datetime | None = None
    """When the last platform was posted."""


class EventPlatform(Model):
    """What became of a post on one platform."""
    platform: PlatformName
    account_id: str
    status: Literal["pending", "posted", "failed", "cancelled"] | str
    post_id: str | None = None
    """Id on the platform; of a thread, of its first published entry."""
    url: str | None = None
    posted_at: datetime | None = None
    error: EventPlatformError | None = None
    """Why it failed."""


class EventPlatformError(Model):
    """Why it failed."""
    code: str
    message: str
    at: datetime | None = None


class EventThread(Model):
    id: str
    post_id: str
    """The post that carries the thread; its own events are sent too."""
    title: str | None = None
    status: Literal["scheduled", "published", "partially_published", "failed"] | str
    scheduled_for: datetime | None = None
    external_id: str | None = None
    metadata: dict[str, str] | None = None
    platforms: list[EventPlatform]
    entries: list[EventEntry]
    published_at: datetime | None = None


class EventEntry(Model):
    position: int
    content: str
    status: Literal["pending", "posted", "partially_failed", "failed"] | str
    """"partially_failed" where it is on some platforms only."""
    platform_post_ids: dict[str, EventEntryPlatformPostIds] | None = None


class EventEntryPlatformPostIds(Model):
    post_id: str
    """Id on the platform."""
    url: str | None = None


class EventWebhook(Model):
    id: str
    host: str
    """Of its url, of which the rest may be a secret."""
    events: list[EventName]
    is_active: bool
    consecutive_failures: int
    disabled_at: datetime
    disabled_reason: str


class FeedItem(Model):
    """A public post."""
    platform: PlatformName
    native_id: str
    author: FeedItemAuthor
    """What the platform reports about who wrote it; bluesky's stream has only the id."""
    text: str
    url: str | None
    language: str | None
    """As its author says, BCP 47."""
    written_at: datetime
    keywords: list[str] | None = None
    """Those of the monitor that it has."""


class FeedItemAuthor(Model):
    """What the platform reports about who wrote it; bluesky's stream has only the id."""
    id: str | None = None
    handle: str | None = None
    name: str | None = None
    url: str | None = None


class FeedMatched(Model):
    id: str
    """The same over retries, redelivery and GET /events: drop what you have seen."""
    event: Literal["feed.matched"]
    test: bool
    """true for the sample data of a test."""
    created_at: datetime
    """When it happened."""
    data: FeedMatchedData


class FeedMatchedDataMonitor(Model):
    id: str
    name: str


class FeedMatchedDataItemAuthor(Model):
    id: str | None = None
    handle: str | None = None
    name: str | None = None
    url: str | None = None


class FeedMatchedDataItem(Model):
    platform: PlatformName
    native_id: str
    author: FeedMatchedDataItemAuthor
    text: str
    url: str | None = None
    language: str | None = None
    written_at: datetime
    keywords: list[str]


class FeedMatchedData(Model):
    monitor: FeedMatchedDataMonitor
    items: list[FeedMatchedDataItem]


class FollowersResponse(Model):
    warnings: Warnings | None = None
    from_: date
    to: date
    totals: FollowersResponseTotals
    """Of the last day, without youtube."""
    series: list[FollowersResponseSerie]
    """Without youtube."""
    accounts: list[FollowersResponseAccount]


class FollowersResponseTotals(Model):
    """Of the last day, without youtube."""
    followers: int | None
    change: int | None
    accounts: int


class FollowersResponseSerie(Model):
    day: date
    followers: int
    accounts: int
    """That are counted on this day."""


class FollowersResponseAccount(Model):
    account_id: str
    platform: PlatformName
    day: date
    """Of the latest look."""
    followers: int | None
    following: int | None
    posts: int | None
    change: int | None
    """Of followers since the first look of the range."""


class InboxItem(Model):
    id: str
    kind: Literal["comment", "mention"] | str
    platform: PlatformName
    account_id: str
    """Who it was written to."""
    post_id: str | None
    """The post that it is under."""
    native_id: str
    """Id on the platform."""
    parent_id: str | None
    """The item that it answers; null where that is the post."""
    author: InboxItemAuthor | None
    text: str | None
    url: str | None
    written_at: datetime
    read_at: datetime | None
    """When it was marked as read."""
    is_deleted: bool
    """The platform no longer has it."""


class InboxItemAuthor(Model):
    id: str | None
    """Id on the platform."""
    handle: str | None
    name: str | None
    url: str | None


class InboxResponse(Model):
    items: list[InboxItem]
    next_cursor: str | None
    """The cursor of the next request; null at the end."""
    has_more: bool
    warnings: Warnings | None = None
    unread: list[InboxResponseUnread]
    """How much of each account nobody has read, up to 1,000 of each kind; accounts without any are left out."""


class InboxResponseUnread(Model):
    account_id: str
    comments: int
    mentions: int


class Key(Model):
    id: str
    name: str
    secret: str | None = None
    """The key itself, once: when it is made."""
    prefix: str
    """How the key begins."""
    test: bool
    """Of the sandbox."""
    permissions: list[Literal["read", "write", "admin"] | str]
    """With those that the highest includes."""
    networks: list[str] | None
    """That the key may be used from; null: any."""
    made_by: str | None
    """The member who made or last rotated it, or the key before it; null: no member did."""
    is_active: bool
    """Neither revoked nor expired."""
    is_current: bool
    """The key that asks."""
    created_at: datetime
    last_used_at: datetime | None
    """To the minute, and up to two minutes late."""
    expires_at: datetime | None
    """When the key ends; of a key that was rotated, the end of the overlap."""
    revoked_at: datetime | None
    suspended_until: datetime | None
    """Set while the key is suspended, for requests in spite of 429."""
    suspension: Any
    """Why the key is refused for a while; null: it is not suspended."""


class KeyCreate(Model):
    name: str
    """What people call the key."""
    permissions: list[Literal["read", "write", "admin"] | str]
    """What the key may do: admin includes write, and write includes read."""
    test: bool | None = None
    """Of the sandbox; by default as the key that asks."""
    networks: list[str] | None = None
    """That the key may be used from, such as 203.0.113.0/24; of IPv6 a /64 is the smallest. From others the answer is
    401. Any where it is left out or empty.
    """
    expires_at: str | None = None
    """When the key ends; never where it is left out. A successor by rotation ends then too."""


class MarkResponse(Model):
    changed: int
    """How many had the other mark before."""
    warnings: list[Detail] | None = None


class Media(Model):
    """An upload."""
    id: str
    """For mediaId in mediaItems."""
    url: str | None = None
    """Where anybody who knows it can read the content; usable as url in mediaItems, where it is the same as mediaId.
    Missing while the file has not come yet, as is all that follows from it.
    """
    type: Literal["image", "video", "pdf"] | str | None = None
    mime_type: str | None = None
    """By content."""
    size: int | None = None
    """In bytes."""
    width: int | None = None
    """In pixels, as shown. Missing where it is not known."""
    height: int | None = None
    duration: float | None = None
    """Of a video, in seconds."""
    animated: bool | None = None
    """True of a picture that moves."""
    alt_text: str | None = None
    """Used where the media item has none of its own."""
    file_name: str | None = None
    created_at: datetime
    expires_at: datetime | None = None
    """When it is removed unless a post uses it until then. Missing while a post does."""
    used_by: list[str] | None = None
    """Posts that it is kept for, newest first, at most 25; of GET /media/{id} alone. Posts that have ended are left
    out once the upload would have expired without them.
    """


class MediaAddressResponse(Model):
    upload_url: str
    method: Literal["PUT"]
    headers: dict[str, str]
    media_id: str
    expires_at: datetime
    part_size: int | None = None
    """Bytes of every part but the last, where the file may come in parts."""
    parts: list[UploadPart] | None = None
    """Where the parts of the file go, if it is to come in parts."""
    warnings: Warnings | None = None


class UploadPart(Model):
    number: int
    offset: int
    """Where in the file it begins, in bytes."""
    size: int
    """In bytes."""
    upload_url: str
    received: bool


class MediaFromUrl(Model):
    url: str
    """A public http or https URL, which is fetched at once."""
    file_name: str | None = None
    """What people call the file; it is not published."""
    alt_text: str | None = None
    """Describes it to people who do not see it."""


class Monitor(Model):
    id: str
    name: str
    include: list[str]
    exclude: list[str]
    language: str | None
    platforms: list[PlatformName]
    is_paused: bool
    search: MonitorSearch | None
    """How the monitor is searched for on a platform without a stream; null where nothing is."""
    created_at: datetime
    updated_at: datetime


class MonitorSearch(Model):
    """How the monitor is searched for on a platform without a stream; null where nothing is."""
    until: datetime
    """What was written until then was looked for."""
    problem: str | None
    """Why nothing is searched; null where nothing is wrong."""


class MonitorCreate(Model):
    name: str
    """What people call the monitor."""
    include: Keywords
    """What a post has to have one of: 1 to 20 words and phrases of 2 to 100 characters."""
    exclude: Keywords | None = None
    language: str | None = None
    """ISO 639-1: only posts that say to be in it; null for any."""
    platforms: list[Literal["bluesky", "threads"] | str] | None = None
    """Where the monitor looks; by default only bluesky. Bluesky has a stream of all public posts. Threads is searched
    for one keyword after another, by an account of the workspace with the permission threads_keyword_search, 2,000
    times a day for all monitors together; a warning (account_missing) says where there is none that works. It
    reports no language of a post.
    """
    is_paused: bool | None = None
    """A paused monitor finds nothing."""


class MonitorUpdate(Model):
    name: str | None = None
    """What people call the monitor."""
    include: Keywords | None = None
    """What a post has to have one of: 1 to 20 words and phrases of 2 to 100 characters."""
    exclude: Keywords | None = None
    language: str | None = None
    """ISO 639-1: only posts that say to be in it; null for any."""
    platforms: list[Literal["bluesky", "threads"] | str] | None = None
    """Where the monitor looks; by default only bluesky. Bluesky has a stream of all public posts. Threads is searched
    for one keyword after another, by an account of the workspace with the permission threads_keyword_search, 2,000
    times a day for all monitors together; a warning (account_missing) says where there is none that works. It
    reports no language of a post.
    """
    is_paused: bool | None = None
    """A paused monitor finds nothing."""


class PlatformLimits(Model):
    """What is taken on a platform. A limit that does not exist is left out."""
    platform: PlatformName
    server: str | None = None
    """Whose limits these are, where servers have their own."""
    text: TextLimits
    title: TextLimits | None = None
    media: MediaLimits
    first_comment: PlatformLimitsFirstComment
    threads: bool
    posts_per_day: int | None = None
    """Of an account, by UTC day."""
    wider: list[PlatformLimitsWider]
    """Limits of the platform itself that are wider than the specification's."""


class TextLimits(Model):
    max_length: int | None = None
    """As the platform counts."""
    max_caption_length: int | None = None
    """Beside media."""
    max_bytes: int | None = None
    """Of its UTF-8."""
    required: bool
    max_hashtags: int | None = None
    max_cashtags: int | None = None
    max_mentions: int | None = None
    max_links: int | None = None
    """Different ones."""


class MediaLimits(Model):
    """Sizes are in bytes, dimensions in pixels, ratios width by height."""
    required: bool
    max: int
    max_videos: int | None = None
    kinds: list[str]
    image_types: list[str] | None = None
    video_types: list[str] | None = None
    max_image_bytes: int | None = None
    max_video_bytes: int | None = None
    max_gif_bytes: int | None = None
    max_document_bytes: int | None = None
    max_video_seconds: float | None = None
    min_width: int | None = None
    min_height: int | None = None
    max_width: int | None = None
    max_height: int | None = None
    max_pixels: int | None = None
    """Of a picture, its width times its height."""
    max_gif_pixels: int | None = None
    """Of a GIF, where that is less."""
    max_video_pixels: int | None = None
    """Of a video."""
    min_aspect_ratio: float | None = None
    max_aspect_ratio: float | None = None
    max_alt_text: int


class PlatformLimitsFirstComment(Model):
    supported: bool
    max_length: int | None = None


class PlatformLimitsWider(Model):
    what: str
    source: str
    """The page or the report that tells of it."""
    in_force: bool


class PostCountsResponse(Model):
    from_: date
    to: date
    counts: list[PostCountsResponseCount]
    totals: dict[str, int]
    """By status."""
    warnings: Warnings | None = None
    metrics: PostCountsResponseMetrics
    """How the posts do that were published in the range."""


class PostCountsResponseCount(Model):
    day: date
    platform: PlatformName
    status: Literal["posted", "failed"] | str
    count: int


class PostFigures(Model):
    day: date | None = None
    account_id: str | None = None
    platform: PlatformName | None = None
    posts: int
    """Published platforms of posts of which metrics are known."""
    metrics: Metrics


class Metrics(Model):
    """By name; null where it is not known."""
    impressions: int | None = None
    reach: int | None = None
    views: int | None = None
    likes: int | None = None
    comments: int | None = None
    shares: int | None = None
    saves: int | None = None
    clicks: int | None = None
    watch_seconds: int | None = None


class PostCountsResponseMetricsTop(Model):
    post_id: str
    account_id: str
    platform: PlatformName
    platform_post_id: str
    posted_at: datetime
    measured_at: datetime
    metrics: Metrics


class PostCountsResponseMetrics(Model):
    """How the posts do that were published in the range."""
    totals: PostFigures
    series: list[PostFigures]
    """By the UTC day on which they were published."""
    platforms: list[PostFigures]
    accounts: list[PostFigures]
    top: list[PostCountsResponseMetricsTop]


class PostRetry(Model):
    platforms: list[PlatformName] | None = None
    """Which failed platforms to retry; all of them when it is left out or empty."""
    delay: int | None = None
    """Seconds to wait."""
    accept_duplicate: bool | None = None
    """Publish again what failed as outcome_unknown even if there is no way to find out whether it is there. Where
    crier can look, it still looks first.
    """


class PostUpdate(Model):
    """Lists and objects replace what was there; an empty one clears it."""
    content: str | None = None
    """The text of the post. How long it may be differs by platform: GET /platforms says. A platform gets a text of its
    own by platformContent, an account by platforms.
    """
    platforms: list[TargetInput] | None = None
    """Where the post goes."""
    media_items: list[MediaItem] | None = None
    """What is published beside the text, in this order."""
    scheduled_for: datetime | str | None = None
    """ISO 8601; 5 minutes to 90 days ahead."""
    timezone: str | None = None
    """IANA name; that of a scheduledFor without an offset. A post in a queue has the queue's unless it names one."""
    platform_settings: PlatformSettings | None = None
    first_comment: str | None = None
    """Short for firstComments with target 0."""
    first_comments: list[FirstComment] | None = None
    """Comments that are posted under the post once it is out."""
    brand_id: str | None = None
    """A brand that the post is filed under. A platform without an accountId means the brand's only account of it; an
    account that is not in the brand is a warning (account_of_another_brand).
    """
    external_id: str | None = None
    """The caller's own id of the post."""
    metadata: dict[str, str] | None = None
    """The caller's own data."""
    status: Literal["draft", "scheduled"] | str | None = None
    """draft takes a scheduled post out of its schedule; scheduled puts a draft into it."""
    publish_now: bool | None = None
    """Publish it at once."""
    queue: bool | None = None
    """Into the next free slot of the default queue, of the brand or else of the workspace. Slots on days that are full
    for one of the accounts are passed over.
    """
    queue_id: str | None = None
    """Into the next free slot of this queue."""
    dry_run: bool | None = None
    """Judge the change and make none. The answer has the post as it would be."""


class PublicProfileResponse(Model):
    warnings: Warnings | None = None
    profile: PublicProfileResponseProfile
    """What the platform does not report is null."""


class PublicProfileResponseProfile(Model):
    """What the platform does not report is null."""
    platform: PlatformName
    id: str
    handle: str
    name: str | None
    description: str | None
    url: str | None
    avatar_url: str | None
    followers: int | None
    following: int | None
    posts: int | None
    created_at: datetime | None


class Queue(Model):
    id: str
    name: str
    timezone: str
    brand_id: str | None
    slots: list[WeekSlot]
    is_default: bool
    created_at: datetime
    updated_at: datetime


class WeekSlot(Model):
    day: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] | str
    """Day of the week in the queue's zone."""
    time: str
    """Wall time in the queue's zone. One that a change of the clocks skips is left out in that week; of one that
    occurs twice the first is meant.
    """


class QueueCreate(Model):
    name: str
    """What people call the queue."""
    timezone: str | None = None
    """IANA name."""
    slots: list[WeekSlot]
    """When posts go out, week by week."""
    is_default: bool | None = None
    """Posts with queue go into it: one queue of each brand, and one of the workspace."""
    brand_id: str | None = None
    """A brand that a connected account belongs to; left out for a queue of the workspace."""


class QueueUpdate(Model):
    name: str | None = None
    """What people call the queue."""
    timezone: str | None = None
    """IANA name."""
    slots: list[WeekSlot] | None = None
    """When posts go out, week by week."""
    is_default: bool | None = None
    """Posts with queue go into it: one queue of each brand, and one of the workspace."""


class Redeliver(Model):
    since: datetime | str
    """Queued at or after this time; without an offset, UTC."""
    until: str | None = None
    """Queued before this time; by default now."""
    status: Literal["failed"] | str | None = None
    """Deliveries that have failed for good."""


class RedeliveredResponse(Model):
    redelivered: int
    has_more: bool
    """Whether the same request would send more."""
    warnings: Warnings | None = None


class Reply(Model):
    id: str
    item_id: str
    account_id: str
    platform: PlatformName
    text: str
    status: Literal["pending", "posted", "failed"] | str
    native_id: str | None
    """Id on the platform."""
    url: str | None
    created_at: datetime
    posted_at: datetime | None
    error: ReplyError | None
    """Why it failed, or why its last try did."""


class ReplyError(Model):
    """Why it failed, or why its last try did."""
    code: str
    message: str


class RetentionResponse(Model):
    warnings: Warnings | None = None
    from_: date
    to: date
    videos: list[RetentionResponseVideo]
    unavailable: str
    """What is not available and why."""


class RetentionResponseVideo(Model):
    post_id: str
    account_id: str
    platform_post_id: str
    posted_at: datetime
    measured_at: datetime
    views: int | None
    watch_seconds: int | None
    average_view_seconds: float | None
    curve: list[float] | None
    """With postId: the share of views that watch, at each of curveAt. Above 1 where a part is watched again."""
    curve_at: list[float] | None = None
    """With curve: how much of the video is over, to 1."""


class SlotsResponse(Model):
    slots: list[datetime]
    warnings: Warnings | None = None


class TestResponse(Model):
    test: TestResponseTest


class TestResponseTest(Model):
    event: EventName
    delivered_at: datetime
    response_code: int | None = None
    """Missing where the receiver did not answer."""
    response_time: int
    """Milliseconds."""
    error: str | None = None
    """Why there is no answer."""


class Thread(Model):
    id: str
    title: str | None
    platforms: list[PlatformName]
    status: Literal["draft", "scheduled", "processing", "posted", "partially_failed", "failed", "cancelled"] | str
    scheduled_for: datetime | None = None
    """Missing on a draft without a time."""
    timezone: str
    post_id: str
    """The one post that carries the whole thread."""
    entry_count: int
    posts: list[ThreadEntry]
    targets: list[PlatformEntry]
    """What became of the thread at each account, with why it failed and its first comments."""
    config: ThreadConfig
    first_comments: list[FirstComment]
    platform_settings: PlatformSettings
    brand_id: str | None = None
    queue_id: str | None = None
    """The queue whose slot scheduledFor is."""
    external_id: str | None = None
    metadata: dict[str, str] | None = None
    is_api_post: bool
    created_at: datetime
    updated_at: datetime
    warnings: list[Detail] | None = None
    """What was accepted and may not be what was meant."""


class ThreadEntry(Model):
    post_id: str
    """The one post of the whole thread."""
    position: int
    status: Literal["pending", "posted", "partially_failed", "failed", "skipped", "cancelled"] | str
    """Over all accounts. Of "skipped", the thread ended before it."""
    content: str
    platform_content: PlatformContent | None = None
    media_items: list[MediaItem]
    platform_post_ids: dict[str, ThreadEntryPlatformPostIds] | None = None
    """What the entry became, by platform, as soon as it is known; of several accounts of a platform, the first."""
    platforms: list[ThreadEntryPlatform]
    """What became of the entry at each account."""


class ThreadEntryPlatformPostIds(Model):
    post_id: str
    """Id on the platform."""
    url: str | None = None


class ThreadEntryPlatform(Model):
    platform: PlatformName
    account_id: str
    status: Literal["pending", "posted", "failed", "skipped", "cancelled"] | str
    post_id: str | None = None
    post_url: str | None = None
    posted_at: datetime | None = None


class ThreadConfig(Model):
    post_delay: float | None = None
    """Accepted without effect."""
    continue_on_error: bool | None = None
    """Leaves out an entry that failed and hangs the next on the last published one."""
    max_retries: int | None = None
    """Further tries of an entry whose call failed for a while."""


class ThreadCreate(Model):
    posts: list[ThreadEntryInput]
    """The entries, in the order in which they are published."""
    platforms: list[ThreadTarget]
    """Where the thread goes."""
    title: str | None = None
    """For the caller; it is not published."""
    config: ThreadConfig | None = None
    """How the entries are published. What is left out of it has its default."""
    publish_now: bool | None = None
    """Publish at once."""
    queue: bool | None = None
    """Into the next free slot of the default queue, of the brand or else of the workspace. Slots on days that are full
    for one of the accounts are passed over.
    """
    queue_id: str | None = None
    """Into the next free slot of this queue."""
    scheduled_for: datetime | str | None = None
    """ISO 8601; 5 minutes to 90 days ahead."""
    timezone: str | None = None
    """IANA name; that of a scheduledFor without an offset. A thread in a queue has the queue's unless it names one."""
    status: Literal["draft", "scheduled", "immediate"] | str | None = None
    """draft: it waits until it is scheduled. scheduled: it goes out at scheduledFor. immediate: as publishNow."""
    platform_settings: PlatformSettings | None = None
    first_comment: str | None = None
    """Short for firstComments with target 0."""
    first_comments: list[FirstComment] | None = None
    """target 0 is the first entry. Those above 0 are delivered on twitter, threads and bluesky; mastodon accepts only
    target 0.
    """
    brand_id: str | None = None
    """A brand that a connected account belongs to."""
    external_id: str | None = None
    """The caller's own id of the thread."""
    metadata: dict[str, str] | None = None
    """The caller's own data."""


class ThreadEntryInput(Model):
    """A text or a media item is needed."""
    content: str | None = None
    """The text of the entry."""
    media_items: list[MediaItem] | None = None
    """What is published beside the text."""
    platform_content: PlatformContent | None = None


class ThreadAccount(Model):
    platform: Literal["twitter", "threads", "bluesky", "mastodon"] | str
    """The platform that the account is on."""
    account_id: str | None = None
    """May be left out where exactly one account is connected."""


class ThreadUpdate(Model):
    scheduled_for: datetime | str | None = None
    """ISO 8601; 5 minutes to 90 days ahead."""
    timezone: str | None = None
    """IANA name; that of a scheduledFor without an offset."""
    title: str | None = None
    """For the caller; empty for none."""
    config: ThreadConfig | None = None
    """Merged into what it was."""
    status: Literal["draft", "scheduled"] | str | None = None
    """draft takes a scheduled thread out of its schedule; scheduled puts a draft into it."""
    publish_now: bool | None = None
    """Publish it at once."""
    queue: bool | None = None
    """Into the next free slot of the default queue, of the brand or else of the workspace. Slots on days that are full
    for one of the accounts are passed over.
    """
    queue_id: str | None = None
    """Into the next free slot of this queue."""


class TranscriptResponse(Model):
    warnings: Warnings | None = None
    transcript: TranscriptResponseTranscript


class TranscriptResponseTranscriptCue(Model):
    start: float
    """Seconds from the beginning."""
    end: float
    text: str


class TranscriptResponseTranscript(Model):
    video_id: str
    language: str
    is_automatic: bool
    """It comes from speech recognition."""
    languages: list[str]
    """All that there are."""
    cues: list[TranscriptResponseTranscriptCue]
    text: str
    """All of it, a cue a line."""


class Usage(Model):
    period: UsagePeriod
    limits: LimitSet
    posts: Allowance
    accounts: Allowance
    requests: UsageRequests
    """The minute of the key that asks, this request included."""
    plan: Plan


class UsagePeriod(Model):
    start: datetime
    end: datetime
    """Not included."""


class Allowance(Model):
    used: int | None
    """null: not counted, since there is no limit."""
    limit: int | None
    remaining: int | None


class UsageRequests(Model):
    """The minute of the key that asks, this request included."""
    limit: int | None
    remaining: int | None
    resets_at: datetime


class Plan(Model):
    name: str
    requests_per_minute: int | None
    """For each key; null: no limit."""
    posts_per_month: int | None
    """Entries, in a calendar month (UTC); null: no limit."""
    accounts: int | None
    """Connected at a time; null: no limit."""


class ValidationResponse(Model):
    validation: ValidationResponseValidation
    warnings: Warnings | None = None


class Validity(Model):
    valid: bool
    content_length: int
    """As the platform counts."""
    max_length: int
    remaining_characters: int
    """Below zero where the text is too long."""
    media_valid: bool
    errors: list[str] | None = None
    """In words; the structured ones are beside platforms."""


class ValidationResponseValidation(Model):
    is_valid: bool
    platforms: dict[str, Validity]
    errors: list[Detail]
    warnings: Warnings


class Webhook(Model):
    id: str
    url: str
    events: list[EventName]
    secret: str | None = None
    """In the answers of its creation and of rotation only."""
    is_active: bool
    created_at: datetime
    last_delivered_at: datetime | None
    consecutive_failures: int
    disabled_at: datetime | None
    disabled_reason: str | None
    previous_secret_until: datetime | None
    """Until when the secret before the last rotation signs too."""


class WebhookUpdate(Model):
    url: str | None = None
    """https and publicly reachable."""
    events: list[EventName] | None = None
    """Replaces the list."""
    is_active: bool | None = None
    """false pauses the webhook; true makes one active that was paused or disabled."""
    redeliver_since: str | None = None
    """What failed since this time is sent again; without an offset, UTC. Not in the future, nor while the webhook is
    not active (invalid_state).
    """


Warnings: TypeAlias = list[Detail]
TargetInput: TypeAlias = PlatformName | Target
ThreadTarget: TypeAlias = Literal["twitter", "threads", "bluesky", "mastodon"] | str | ThreadAccount
