import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { Crier, WebhookError, verifyWebhook } from "@crier/client";

const key = "crier_test_secret";

/** A client, and the addresses that it asks for; each answer is an empty list. */
function client() {
  const asked = [];
  const fetch = async (url) => {
    asked.push(new URL(url));
    return Response.json({ posts: [], pagination: {} });
  };
  return { crier: new Crier({ key, fetch }), asked };
}

test("nothing that shows a client shows its key", () => {
  const { crier } = client();
  assert.ok(!inspect(crier, { depth: Infinity, showHidden: true }).includes(key));
  assert.ok(!JSON.stringify(crier).includes(key));
});

test("a filter takes a Date", async () => {
  const { crier, asked } = client();
  await crier.posts.list({ after: new Date("2026-12-24T09:00:00Z"), status: "scheduled" }).next();
  assert.equal(asked[0].searchParams.get("after"), "2026-12-24T09:00:00.000Z");
});

test("a setting that is undefined is the default", async () => {
  let asked = 0;
  const fetch = async () => (asked++ === 0 ? new Response("", { status: 502 }) : Response.json({ post: { id: "post_1" } }));
  const crier = new Crier({ key, fetch, retry: { tries: undefined, for: undefined, wait: 1 } });
  assert.equal((await crier.posts.get("post_1")).id, "post_1");
});

test("a name that no header can carry is wrong at once", async () => {
  const { crier, asked } = client();
  await assert.rejects(crier.posts.create({ content: "Hello", platforms: ["mastodon"] }, { idempotencyKey: "订单" }), TypeError);
  assert.equal(asked.length, 0);
});

test("a file may be its bytes", async () => {
  const answers = {
    POST: { uploadUrl: "http://127.0.0.1:1/upload", headers: {}, mediaId: "media_1", media: { id: "media_1" } }, PUT: {},
  };
  const sent = [];
  const fetch = async (_, { method, body }) => {
    if (body) sent.push(await new Response(body).text());
    return Response.json(answers[method]);
  };
  await new Crier({ key, fetch }).media.upload(Buffer.from("film"), { fileName: "film.mp4" });
  assert.deepEqual([JSON.parse(sent[0]).size, sent[1]], [4, "film"]);
});

test("a body that was parsed is no delivery", async () => {
  await assert.rejects(verifyWebhook("whsec_c2VjcmV0", { "x-webhook-signature": "t=1,v1=00" }, { id: "evt_1" }), /as it arrived/);
});

test("a delivery's headers may be those of another package", async () => {
  const signature = "t=1,v1=e9a4211e68f3c0011cf508261014dfe41f6142aac2dc774eecca10d31e41701b"; // of long ago
  const headers = { get: (name) => (name === "x-webhook-signature" ? signature : null) };
  await assert.rejects(verifyWebhook("whsec_c2VjcmV0", headers, "{}"), (error) => error instanceof WebhookError && error.reason === "time");
});
