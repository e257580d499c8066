export { Crier } from "./client.js";
export { CrierError, type Detail, type ErrorCode } from "./error.js";
export type {
  AccountEvent, CrierEvent, FeedEvent, ItemEvent, PostEvent, ThreadEvent, UnknownEvent, WebhookEvent,
} from "./events.js";
export type { UploadOptions } from "./resources/media.js";
export type { Clock, Retry } from "./retry.js";
export type { CallOptions, ClientOptions, CreateOptions } from "./send.js";
export type * from "./types.js";
/** What the API says and takes, by the names of its description. */
export type { components, operations } from "./schema.js";
export { WebhookError, verifyWebhook, type VerifyOptions, type WebhookHeaders } from "./webhook.js";
