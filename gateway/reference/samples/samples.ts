// The samples of the reference in TypeScript, as one program that a test runs. Each begins at its
// line "sample", which names the operations that it shows, and ends at the next or at "end".
import { openAsBlob } from "node:fs";
import { Crier, CrierError } from "@crier/client";

const crier = new Crier({ key: process.env.CRIER_KEY!, server: process.env.CRIER_URL! });
const day = 24 * 3_600_000;

/** For what crier refuses in the state that this program has it in. */
function refusal(error: unknown): void {
  if (!(error instanceof CrierError)) throw error;
}

async function posts() {
  // sample: createPost
  const post = await crier.posts.create(
    { content: "Good morning", platforms: ["mastodon", "bluesky"], scheduledFor: new Date(Date.now() + 3_600_000) },
    { idempotencyKey: "order-17-ts" },
  );
  console.log(post.id, post.status, post.warnings);
  // sample: listPosts
  for await (const post of crier.posts.list({ status: "scheduled" })) console.log(post.id, post.scheduledFor);
  // sample: validatePost
  const found = await crier.posts.validate({ content: "Good morning", platforms: ["bluesky"], status: "draft" });
  console.log(found.isValid, found.errors);
  // sample: createPosts
  const bulk = await crier.posts.createBulk({
    posts: [
      { content: "Monday", platforms: ["bluesky"], scheduledFor: new Date(Date.now() + day) },
      { content: "Tuesday", platforms: ["bluesky"], scheduledFor: new Date(Date.now() + 2 * day) },
    ],
  });
  for (const result of bulk.results) console.log(result.error);
  // sample: lookupPosts
  const known = await crier.posts.lookup({ ids: [post.id] });
  // sample: getPost
  const read = await crier.posts.get(post.id);
  // sample: error
  try {
    await crier.posts.get("post_1");
  } catch (error) {
    if (error instanceof CrierError) console.log(error.code, error.details, error.requestId, error.retryAfter);
  }
  // sample: updatePost
  const changed = await crier.posts.update(post.id, { content: "Good evening" });
  // end
  console.log(known.length, read.status, changed.content);
  try {
    // sample: retryPost
    await crier.posts.retry(post.id, { platforms: ["mastodon"] });
    // end
  } catch (error) {
    refusal(error);
  }
  // sample: listPostAttempts
  for await (const attempt of crier.posts.attempts(post.id)) console.log(attempt.at, attempt.event, attempt.message);
  // sample: deletePost
  await crier.posts.cancel(post.id);
  // end
}

async function threads() {
  // sample: createThread
  const thread = await crier.threads.create({
    posts: [{ content: "One" }, { content: "Two" }],
    platforms: ["mastodon"],
    scheduledFor: new Date(Date.now() + day),
  });
  // sample: getThread
  const read = await crier.threads.get(thread.id);
  // sample: updateThread
  await crier.threads.update(thread.id, { title: "Harbour" });
  // sample: deleteThread
  await crier.threads.cancel(thread.id);
  // end
  console.log(read.status);
}

async function accounts() {
  // sample: listAccounts
  const accounts = await crier.accounts.list({ platform: "mastodon" });
  // end
  const account = accounts[0]!;
  // sample: getAccount
  const found = await crier.accounts.get(account.id);
  // sample: updateAccount
  await crier.accounts.update(account.id, { name: "Harbour" });
  // sample: pauseAccount
  await crier.accounts.pause(account.id, "The brand says nothing today");
  // sample: resumeAccount
  await crier.accounts.resume(account.id);
  // sample: checkAccounts
  const all = await crier.accounts.healthOfAll();
  // sample: checkAccount
  const health = await crier.accounts.health(account.id);
  // sample: listConnectWays
  const ways = await crier.accounts.ways();
  // sample: listPlatforms
  const limits = await crier.accounts.limits();
  // sample: getPlatform
  const ofMastodon = await crier.accounts.limitsOf("mastodon", account.id);
  // sample: beginConnect
  const consent = await crier.accounts.askConsent("mastodon", { server: "mastodon.social" });
  console.log(consent.authUrl); // for the browser of the person whose account it is
  // end
  console.log(found.name, all.length, health, ways.length, limits.length, ofMastodon.platform);
  await brands();
  // sample: disconnectAccount
  await crier.accounts.disconnect(account.id);
  // end
}

async function brands() {
  // sample: createBrand
  const brand = await crier.brands.create("Harbour");
  // sample: listBrands
  const brands = await crier.brands.list();
  // sample: getBrand
  const read = await crier.brands.get(brand.id);
  // sample: renameBrand
  await crier.brands.rename(brand.id, "Harbour Café");
  // sample: deleteBrand
  await crier.brands.delete(brand.id);
  // end
  console.log(brands.length, read.name);
}

async function queues() {
  // sample: createQueue
  const queue = await crier.queues.create({
    name: "Mornings",
    timezone: "Europe/Berlin",
    slots: [{ day: "monday", time: "09:00" }],
  });
  // sample: listQueues
  const queues = await crier.queues.list();
  // sample: getQueue
  const read = await crier.queues.get(queue.id);
  // sample: updateQueue
  await crier.queues.update(queue.id, { name: "Early" });
  // sample: previewSlots
  const slots = await crier.queues.slots(queue.id, 5);
  // sample: deleteQueue
  await crier.queues.delete(queue.id);
  // end
  console.log(queues.length, read.name, slots);
}

async function media() {
  // sample: uploadMedia createMediaUploadUrl completeUpload
  const media = await crier.media.upload(await openAsBlob("harbour.png"), {
    fileName: "harbour.png",
    onProgress: (sent, total) => console.log(sent, "of", total),
  });
  console.log(media.id, media.type, media.size);
  // end
  try {
    // sample: uploadMediaFromUrl
    await crier.media.fromUrl({ url: "https://media.example/harbour.png", altText: "The harbour" });
    // end
  } catch (error) {
    refusal(error);
  }
  // sample: listMedia
  for await (const media of crier.media.list()) console.log(media.id, media.fileName);
  // sample: getMedia
  const read = await crier.media.get(media.id);
  // sample: describeMedia
  await crier.media.describe(media.id, "The harbour at sunrise");
  // sample: deleteMedia
  await crier.media.delete(media.id);
  // end
  console.log(read.size);
}

async function webhooks() {
  // sample: createWebhook
  const webhook = await crier.webhooks.create("https://hooks.example/crier", ["post.published", "post.failed"]);
  console.log(webhook.id, webhook.secret); // the secret is shown this once
  // sample: listWebhooks
  const webhooks = await crier.webhooks.list();
  // sample: getWebhook
  const read = await crier.webhooks.get(webhook.id);
  // sample: updateWebhook
  await crier.webhooks.update(webhook.id, { isActive: true });
  // sample: testWebhook
  const test = await crier.webhooks.test(webhook.id, "post.published");
  // sample: rotateWebhookSecret
  const rotated = await crier.webhooks.rotateSecret(webhook.id, 86_400);
  // sample: searchDeliveries
  for await (const delivery of crier.webhooks.deliveries(webhook.id, { status: "failed" })) console.log(delivery.id, delivery.event);
  // end
  const delivery = { id: "dlv_00000000000000000000000000" };
  try {
    // sample: redeliver
    await crier.webhooks.redeliver(webhook.id, delivery.id);
    // end
  } catch (error) {
    refusal(error);
  }
  try {
    // sample: getDelivery
    const detail = await crier.webhooks.delivery(webhook.id, delivery.id);
    console.log(detail.body);
    // end
  } catch (error) {
    refusal(error);
  }
  // sample: redeliverFailed
  const again = await crier.webhooks.redeliverFailed(webhook.id, new Date(Date.now() - 3_600_000));
  console.log(again.redelivered, again.hasMore);
  // sample: listEvents
  for await (const event of crier.events.list()) console.log(event.event, event.id);
  // sample: deleteWebhook
  await crier.webhooks.delete(webhook.id);
  // end
  console.log(webhooks.length, read.url, test, rotated.id);
}

async function monitors() {
  // sample: createMonitor
  const monitor = await crier.monitors.create({ name: "Harbour", include: ["harbour walk"] });
  // sample: listMonitors
  for await (const monitor of crier.monitors.list()) console.log(monitor.id, monitor.name);
  // sample: getMonitor
  const read = await crier.monitors.get(monitor.id);
  // sample: updateMonitor
  await crier.monitors.update(monitor.id, { isPaused: true });
  // sample: listMonitorItems
  for await (const item of crier.monitors.items(monitor.id)) console.log(item.author.handle, item.text);
  // sample: deleteMonitor
  await crier.monitors.delete(monitor.id);
  // sample: searchFeed
  for await (const item of crier.feeds.search({ platform: "bluesky", q: "harbour" })) {
    console.log(item.author.handle, item.text);
    break;
  }
  // end
  console.log(read.name);
  try {
    // sample: readPublicProfile
    const profile = await crier.feeds.profile("bluesky", "harbour.bsky.test");
    // end
    console.log(profile);
  } catch (error) {
    refusal(error);
  }
}

async function engagement() {
  // sample: listComments
  for await (const item of crier.engagement.comments()) console.log(item.id, item.author?.handle, item.text);
  // sample: listMentions
  for await (const item of crier.engagement.mentions()) console.log(item.id, item.author?.handle, item.text);
  // end
  const item = { id: "item_00000000000000000000000000" };
  const reply = { id: "comment_00000000000000000000000000" };
  const account = { id: "acc_00000000000000000000000000" };
  const calls = [
    async () => {
      // sample: markItems
      const changed = await crier.engagement.mark([item.id]);
      // end
      console.log(changed);
    },
    async () => {
      // sample: createReply
      const reply = await crier.engagement.reply(item.id, "Come by on Sunday.");
      // end
      console.log(reply);
    },
    async () => {
      // sample: getReply
      const read = await crier.engagement.getReply(reply.id);
      // end
      console.log(read);
    },
    async () => {
      // sample: getTranscript
      const transcript = await crier.engagement.transcript({ accountId: account.id, videoId: "dQw4w9WgXcQ", language: "en" });
      // end
      console.log(transcript);
    },
  ];
  for (const call of calls) await call().catch(refusal);
}

async function figures() {
  // sample: countPosts
  const posts = await crier.analytics.posts({ platform: "mastodon" });
  // sample: countFollowers
  const followers = await crier.analytics.followers();
  // sample: getRetention
  const retention = await crier.analytics.retention({ limit: 5 });
  // sample: getBestTimes
  const times = await crier.analytics.bestTimes({ timezone: "Europe/Berlin" });
  // end
  console.log(posts.counts.length, followers.accounts.length, retention.videos.length, times.times.length);
}

async function keys() {
  // sample: createKey
  const key = await crier.keys.create({ name: "reports", permissions: ["read"], test: true });
  console.log(key.id, key.secret); // the secret is shown this once
  // sample: listKeys
  for await (const key of crier.keys.list()) console.log(key.id, key.name);
  // sample: getKey
  const read = await crier.keys.get(key.id);
  // sample: rotateKey
  const successor = await crier.keys.rotate(key.id, 3600);
  // sample: revokeKey
  await crier.keys.revoke(key.id);
  // sample: getUsage
  const usage = await crier.keys.usage();
  // end
  console.log(read.name, successor.id, usage);
}

await posts();
await threads();
await accounts();
await queues();
await media();
await webhooks();
await monitors();
await engagement();
await figures();
await keys();
