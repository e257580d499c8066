# The samples of the reference in Python, as one program that a test runs. Each begins at its
# line "sample", which names the operations that it shows, and ends at the next or at "end".
import os
from datetime import datetime, timedelta, timezone

from crier import Crier, CrierError, Range, models

crier = Crier(os.environ["CRIER_KEY"], server=os.environ["CRIER_URL"])


def posts() -> None:
    # sample: createPost
    post = crier.posts.create(
        models.PostCreate(
            content="Good morning",
            platforms=["mastodon", "bluesky"],
            scheduled_for=datetime.now(timezone.utc) + timedelta(hours=1),
        ),
        idempotency_key="order-17-python",
    )
    print(post.id, post.status, post.warnings)
    # end
    created = post
    # sample: listPosts
    for post in crier.posts.list(status="scheduled"):
        print(post.id, post.scheduled_for)
    # sample: validatePost
    found = crier.posts.validate(models.PostCreate(content="Good morning", platforms=["bluesky"], status="draft"))
    print(found.is_valid, found.errors)
    # sample: createPosts
    now = datetime.now(timezone.utc)
    bulk = crier.posts.create_bulk(
        models.BulkCreate(
            posts=[
                models.PostCreate(content="Monday", platforms=["bluesky"], scheduled_for=now + timedelta(days=1)),
                models.PostCreate(content="Tuesday", platforms=["bluesky"], scheduled_for=now + timedelta(days=2)),
            ]
        )
    )
    for result in bulk.results:
        print(result.error)
    # end
    post = created
    # sample: lookupPosts
    known = crier.posts.lookup(ids=[post.id])
    # sample: getPost
    post = crier.posts.get(post.id)
    # sample: error
    try:
        crier.posts.get("post_1")
    except CrierError as error:
        print(error.code, error.details, error.request_id, error.retry_after)
    # sample: updatePost
    post = crier.posts.update(post.id, models.PostUpdate(content="Good evening"))
    # end
    print(len(known))
    try:
        # sample: retryPost
        crier.posts.retry(post.id, models.PostRetry(platforms=["mastodon"]))
        # end
    except CrierError as error:
        print(error.code)
    # sample: listPostAttempts
    for attempt in crier.posts.attempts(post.id):
        print(attempt.at, attempt.event, attempt.message)
    # sample: deletePost
    crier.posts.cancel(post.id)
    # end


def threads() -> None:
    # sample: createThread
    thread = crier.threads.create(
        models.ThreadCreate(
            posts=[models.ThreadEntryInput(content="One"), models.ThreadEntryInput(content="Two")],
            platforms=["mastodon"],
            scheduled_for=datetime.now(timezone.utc) + timedelta(days=1),
        )
    )
    # sample: getThread
    thread = crier.threads.get(thread.id)
    # sample: updateThread
    thread = crier.threads.update(thread.id, models.ThreadUpdate(title="Harbour"))
    # sample: deleteThread
    crier.threads.cancel(thread.id)
    # end


def accounts() -> None:
    # sample: listAccounts
    accounts = crier.accounts.list(platform="mastodon")
    # end
    account = accounts[0]
    # sample: getAccount
    account = crier.accounts.get(account.id)
    # sample: updateAccount
    account = crier.accounts.update(account.id, models.AccountUpdate(name="Harbour"))
    # sample: pauseAccount
    crier.accounts.pause(account.id, "The brand says nothing today")
    # sample: resumeAccount
    crier.accounts.resume(account.id)
    # sample: checkAccounts
    all_of_them = crier.accounts.health_of_all()
    # sample: checkAccount
    health = crier.accounts.health(account.id)
    # sample: listConnectWays
    ways = crier.accounts.ways()
    # sample: listPlatforms
    limits = crier.accounts.limits()
    # sample: getPlatform
    of_mastodon = crier.accounts.limits_of("mastodon", account.id)
    # sample: beginConnect
    consent = crier.accounts.ask_consent("mastodon", server="mastodon.social")
    print(consent.auth_url)  # for the browser of the person whose account it is
    # end
    print(len(all_of_them), health, len(ways), len(limits), of_mastodon.platform)
    brands()
    # sample: disconnectAccount
    crier.accounts.disconnect(account.id)
    # end


def brands() -> None:
    # sample: createBrand
    brand = crier.brands.create("Harbour")
    # sample: listBrands
    brands = crier.brands.list()
    # sample: getBrand
    brand = crier.brands.get(brand.id)
    # sample: renameBrand
    brand = crier.brands.rename(brand.id, "Harbour Café")
    # sample: deleteBrand
    crier.brands.delete(brand.id)
    # end
    print(len(brands))


def queues() -> None:
    # sample: createQueue
    queue = crier.queues.create(
        models.QueueCreate(name="Mornings", timezone="Europe/Berlin", slots=[models.WeekSlot(day="monday", time="09:00")])
    )
    # sample: listQueues
    queues = crier.queues.list()
    # sample: getQueue
    queue = crier.queues.get(queue.id)
    # sample: updateQueue
    queue = crier.queues.update(queue.id, models.QueueUpdate(name="Early"))
    # sample: previewSlots
    slots = crier.queues.slots(queue.id, 5)
    # sample: deleteQueue
    crier.queues.delete(queue.id)
    # end
    print(len(queues), slots)


def media() -> None:
    # sample: uploadMedia createMediaUploadUrl completeUpload
    media = crier.media.upload("harbour.png", progress=lambda sent, total: print(sent, "of", total))
    print(media.id, media.type, media.size)
    # end
    uploaded = media
    try:
        # sample: uploadMediaFromUrl
        crier.media.from_url(models.MediaFromUrl(url="https://media.example/harbour.png", alt_text="The harbour"))
        # end
    except CrierError as error:
        print(error.code)
    # sample: listMedia
    for media in crier.media.list():
        print(media.id, media.file_name)
    # end
    media = uploaded
    # sample: getMedia
    media = crier.media.get(media.id)
    # sample: describeMedia
    media = crier.media.describe(media.id, "The harbour at sunrise")
    # sample: deleteMedia
    crier.media.delete(media.id)
    # end


def webhooks() -> None:
    # sample: createWebhook
    webhook = crier.webhooks.create("https://hooks.example/crier", ["post.published", "post.failed"])
    print(webhook.id, webhook.secret)  # the secret is shown this once
    # sample: listWebhooks
    webhooks = crier.webhooks.list()
    # sample: getWebhook
    webhook = crier.webhooks.get(webhook.id)
    # sample: updateWebhook
    webhook = crier.webhooks.update(webhook.id, models.WebhookUpdate(is_active=True))
    # sample: testWebhook
    test = crier.webhooks.test(webhook.id, "post.published")
    # sample: rotateWebhookSecret
    webhook = crier.webhooks.rotate_secret(webhook.id, 86_400)
    # sample: searchDeliveries
    for delivery in crier.webhooks.deliveries(webhook.id, status="failed"):
        print(delivery.id, delivery.event)
    # end
    print(len(webhooks), test)
    delivery_id = "dlv_00000000000000000000000000"
    try:
        # sample: redeliver
        crier.webhooks.redeliver(webhook.id, delivery_id)
        # end
    except CrierError as error:
        print(error.code)
    try:
        # sample: getDelivery
        delivery, event = crier.webhooks.delivery(webhook.id, delivery_id)
        print(delivery.status, event.id)
        # end
    except CrierError as error:
        print(error.code)
    # sample: redeliverFailed
    again = crier.webhooks.redeliver_failed(webhook.id, datetime.now(timezone.utc) - timedelta(hours=1))
    print(again.redelivered, again.has_more)
    # sample: listEvents
    for event in crier.events.list():
        print(event.event, event.id)
    # sample: deleteWebhook
    crier.webhooks.delete(webhook.id)
    # end


def monitors() -> None:
    # sample: createMonitor
    monitor = crier.monitors.create(models.MonitorCreate(name="Harbour", include=["harbour walk"]))
    # end
    created = monitor
    # sample: listMonitors
    for monitor in crier.monitors.list():
        print(monitor.id, monitor.name)
    # end
    monitor = created
    # sample: getMonitor
    monitor = crier.monitors.get(monitor.id)
    # sample: updateMonitor
    monitor = crier.monitors.update(monitor.id, models.MonitorUpdate(is_paused=True))
    # sample: listMonitorItems
    for item in crier.monitors.items(monitor.id):
        print(item.author.handle, item.text)
    # sample: deleteMonitor
    crier.monitors.delete(monitor.id)
    # sample: searchFeed
    for item in crier.feeds.search("bluesky", "harbour"):
        print(item.author.handle, item.text)
        break
    # end
    try:
        # sample: readPublicProfile
        profile = crier.feeds.profile("bluesky", "harbour.bsky.test")
        # end
        print(profile)
    except CrierError as error:
        print(error.code)


def engagement() -> None:
    # sample: listComments
    for item in crier.engagement.comments():
        print(item.id, item.author, item.text)
    # sample: listMentions
    for item in crier.engagement.mentions():
        print(item.id, item.author, item.text)
    # end
    item_id, reply_id, account_id = (f"{kind}_00000000000000000000000000" for kind in ("item", "comment", "acc"))
    try:
        # sample: markItems
        changed = crier.engagement.mark([item_id])
        # end
        print(changed)
    except CrierError as error:
        print(error.code)
    try:
        # sample: createReply
        reply = crier.engagement.reply(item_id, "Come by on Sunday.")
        # end
        print(reply)
    except CrierError as error:
        print(error.code)
    try:
        # sample: getReply
        reply = crier.engagement.get_reply(reply_id)
        # end
        print(reply)
    except CrierError as error:
        print(error.code)
    try:
        # sample: getTranscript
        transcript = crier.engagement.transcript(account_id, "dQw4w9WgXcQ", "en")
        # end
        print(transcript)
    except CrierError as error:
        print(error.code)


def figures() -> None:
    # sample: countPosts
    counts = crier.analytics.posts(Range(platform="mastodon"))
    # sample: countFollowers
    followers = crier.analytics.followers()
    # sample: getRetention
    retention = crier.analytics.retention(limit=5)
    # sample: getBestTimes
    times = crier.analytics.best_times(timezone="Europe/Berlin")
    # end
    print(len(counts.counts), len(followers.accounts), len(retention.videos), len(times.times))


def keys() -> None:
    # sample: createKey
    key = crier.keys.create(models.KeyCreate(name="reports", permissions=["read"], test=True))
    print(key.id, key.secret)  # the secret is shown this once
    # end
    created = key
    # sample: listKeys
    for key in crier.keys.list():
        print(key.id, key.name)
    # end
    key = created
    # sample: getKey
    key = crier.keys.get(key.id)
    # sample: rotateKey
    successor = crier.keys.rotate(key.id, 3600)
    # sample: revokeKey
    crier.keys.revoke(key.id)
    # sample: getUsage
    usage = crier.keys.usage()
    # end
    print(successor.id, usage)


posts()
threads()
accounts()
queues()
media()
webhooks()
monitors()
engagement()
figures()
keys()
