import type { components } from "./schema.js";
import type { EventName } from "./types.js";

type Schemas = components["schemas"];

interface Envelope<E extends string, Data> {
  /** The same over retries and redelivery: drop what you have seen. */
  id: string;
  event: E;
  /** Sample data of a test. */
  test: boolean;
  createdAt: string;
  data: Data;
}

export type PostEvent = Envelope<Extract<EventName, `post.${string}`>, { post: Schemas["EventPost"] }>;
export type ThreadEvent = Envelope<Extract<EventName, `thread.${string}`>, { thread: Schemas["EventThread"] }>;
export type AccountEvent = Envelope<
  Extract<EventName, `account.${string}`>,
  { account: Schemas["EventAccount"]; error?: Schemas["AccountProblem"]; expiresAt?: string }
>;
export type WebhookEvent = Envelope<"webhook.disabled", { webhook: Schemas["EventWebhook"] }>;
export type ItemEvent = Envelope<"comment.received" | "mention.received", { item: Schemas["EventItem"] }>;
export type FeedEvent = Envelope<"feed.matched", Schemas["FeedMatched"]["data"]>;
/** An event that is newer than this package: name says which. */
export type UnknownEvent = Envelope<"unknown", unknown> & { name: string };

/** What happened. Its data is by its event: `if (e.event === "post.published") e.data.post`. */
export type CrierEvent = PostEvent | ThreadEvent | AccountEvent | WebhookEvent | ItemEvent | FeedEvent | UnknownEvent;

/** Every event that this package knows; the compiler knows if one is missing. */
const known: Record<EventName, true> = {
  "post.scheduled": true, "post.published": true, "post.failed": true, "post.cancelled": true, "post.updated": true,
  "thread.scheduled": true, "thread.published": true, "thread.partially_published": true, "thread.failed": true,
  "account.connected": true, "account.disconnected": true, "account.error": true, "account.token_expiring": true,
  "webhook.disabled": true, "feed.matched": true, "comment.received": true, "mention.received": true,
};

/** Reads an event; what is none is a TypeError. */
export function eventOf(said: unknown): CrierEvent {
  const event = said as Envelope<string, unknown>;
  if (typeof event?.event !== "string" || typeof event.id !== "string") throw new TypeError("this is no event of crier");
  if (Object.hasOwn(known, event.event)) return event as CrierEvent;
  return { ...event, event: "unknown", name: event.event };
}
