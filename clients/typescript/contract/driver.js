// The driver of the contract that all clients keep: reads tasks, a line of JSON each, does them by
// this package's public names, and writes what became of each.
import { createInterface } from "node:readline";
import { Crier, CrierError, WebhookError, verifyWebhook } from "@crier/client";

/** A clock on which waits are over at once. */
class TestClock {
  waits = [];
  passed = 0;
  now() {
    return Date.now() + this.passed;
  }
  async wait(milliseconds, signal) {
    signal?.throwIfAborted();
    this.waits.push(milliseconds / 1000);
    this.passed += milliseconds;
  }
}

async function run(task) {
  if (task.action === "verify") return verify(task.input);
  const clock = new TestClock();
  const outcome = {};
  try {
    const crier = new Crier({
      key: task.key, server: task.url,
      ...(!task.abort && { clock }),
      ...(task.patience && { timeout: task.patience * 1000 }),
    });
    const options = task.abort ? { signal: AbortSignal.timeout(task.abort * 1000) } : {};
    await actions[task.action](crier, task.input, outcome, options);
  } catch (error) {
    outcome.error = failure(error);
  }
  return { ...outcome, waits: clock.waits };
}

function failure(error) {
  if (error.name === "TimeoutError" || error.name === "AbortError") return { kind: "aborted", message: error.message };
  if (!(error instanceof CrierError)) throw error;
  if (error.status === undefined) return { kind: "lost", message: error.message };
  return {
    kind: "refused", status: error.status, code: error.code ?? "", details: error.details.length,
    requestId: error.requestId !== undefined, retryAfter: error.retryAfter ?? 0, message: error.message,
  };
}

const draft = (input, content = "Good morning") =>
  ({ content, platforms: input.platforms ?? ["mastodon"], status: "draft", externalId: input.name });

const actions = {
  async create(crier, input, outcome, options) {
    outcome.value = (await crier.posts.create(draft(input), options)).id;
  },
  async "create twice"(crier, input, outcome) {
    const options = input.idempotencyKey ? { idempotencyKey: input.idempotencyKey } : {};
    outcome.items = [];
    for (const content of ["Good morning", input.different ? "Good evening" : "Good morning"]) {
      outcome.items.push((await crier.posts.create(draft(input, content), options)).id);
    }
  },
  async "create bulk"(crier, input) {
    await crier.posts.createBulk({ posts: [draft(input, "One"), draft(input, "Two")] });
  },
  async "create brand"(crier, input) {
    await crier.brands.create(input.name);
  },
  async cancel(crier, input, outcome) {
    await crier.posts.cancel(input.id);
    outcome.value = (await crier.posts.get(input.id)).status;
  },
  async change(crier, input, outcome) {
    const post = await crier.posts.update(input.id, { content: "Changed", externalId: "" });
    outcome.value = post.content + (!post.externalId && post.metadata?.kept === "yes" ? ", in 2 places" : "");
  },
  async read(crier, input, outcome) {
    const post = await crier.posts.get(input.id);
    outcome.value = `${post.status} ${post.platforms[0].postId}`;
  },
  async list(crier, input, outcome) {
    outcome.items = [];
    for await (const post of crier.posts.list({ externalId: input.name, limit: 2 })) outcome.items.push(post.id);
  },
  async "first of a list"(crier, input, outcome) {
    for await (const post of crier.posts.list({ externalId: input.name, limit: 2 })) {
      outcome.items = [post.id];
      break;
    }
  },
  /** Makes and reads something of every resource that needs no more than a gateway. */
  async tour(crier, input, outcome) {
    const brand = await crier.brands.create(input.name);
    const queue = await crier.queues.create({ name: input.name, slots: [{ day: "monday", time: "09:00" }], brandId: brand.id });
    const slots = await crier.queues.slots(queue.id, 3);
    const thread = await crier.threads.create({ posts: [{ content: "One" }, { content: "Two" }], platforms: ["mastodon"], status: "draft" });
    const hook = await crier.webhooks.create("http://127.0.0.1:1/hook", ["post.failed"]);
    const accounts = await crier.accounts.list({ platform: "mastodon" });
    const monitor = await crier.monitors.create({ name: input.name, include: ["harbour"] });
    const found = await crier.posts.lookup({ ids: [(await crier.posts.create(draft(input))).id] });
    const valid = await crier.posts.validate(draft(input, "x".repeat(501)));
    const timeline = [], keys = [], monitors = [];
    for await (const line of crier.posts.attempts(found[0].id)) timeline.push(line);
    for await (const key of crier.keys.list()) keys.push(key.id);
    for await (const one of crier.monitors.list()) monitors.push(one.id);
    const { plan } = await crier.keys.usage();
    const limits = await crier.accounts.limits();
    const ways = await crier.accounts.ways();
    await crier.threads.cancel(thread.id);
    await crier.webhooks.delete((await crier.webhooks.get(hook.id)).id);
    await crier.monitors.delete(monitor.id);
    if (slots.length !== 3 || !accounts[0].id || !hook.secret || valid.isValid || !keys[0] || !monitors.includes(monitor.id)) throw new Error("the tour found too little");
    if (!timeline[0] || !plan.name || !limits[0].platform || !ways[0].platform) throw new Error("the tour found too little of the workspace");
    outcome.value = "round";
  },
  async upload(crier, input, outcome) {
    outcome.progress = [];
    const media = await crier.media.upload(new Blob([Buffer.from(input.content, "base64")]), {
      fileName: "film.mp4", onProgress: (sent) => outcome.progress.push(sent),
    });
    outcome.value = `${media.type} ${media.size}`;
  },
};

async function verify(input) {
  try {
    const event = await verifyWebhook(input.secret, input.headers, input.body, { now: () => input.now * 1000 });
    return { value: event.event === "unknown" ? `${event.name} unknown` : `${event.event} ${about(event.data)}` };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return { error: { kind: error.reason } };
  }
}

const about = (data) => (data.post ?? data.account ?? data.item).id;

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await run(JSON.parse(line))));
}
