import { eventOf, type CrierEvent } from "./events.js";

/** Why a delivery is refused: signature, time (it was signed too long ago, or in the future) or body (it is no event). */
export class WebhookError extends Error {
  override readonly name = "WebhookError";

  constructor(readonly reason: "signature" | "time" | "body", message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

export interface VerifyOptions {
  /** Seconds that the time of a signature may be from now: what is older may be the copy of a delivery. Default: 300. */
  tolerance?: number;
  /** Milliseconds since 1970, of tests. */
  now?: () => number;
}

/** Headers as fetch, Express and node:http have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

const encoder = new TextEncoder();

/**
 * Returns the event of a delivery that is signed with the webhook's secret, by X-Webhook-Signature or the headers of
 * Standard Webhooks; any other is a WebhookError. Give the body as it arrived: parsed and written again it may differ.
 * An event comes at least once: drop the ids that you know.
 */
export async function verifyWebhook(
  secret: string, headers: WebhookHeaders, body: string | Uint8Array, options: VerifyOptions = {},
): Promise<CrierEvent> {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  if (!ArrayBuffer.isView(bytes)) throw new TypeError("the body is wanted as it arrived, as text or bytes, before anything has parsed it");
  const own = header(headers, "x-webhook-signature");
  const { at, right } = own ? await verifyOwn(secret, own, bytes) : await verifyStandard(secret, headers, bytes);
  if (!right) throw new WebhookError("signature", "the delivery is not signed with the webhook's secret");
  const age = (options.now ?? Date.now)() / 1000 - at;
  if (!(Math.abs(age) <= (options.tolerance ?? 300))) throw new WebhookError("time", "the delivery was signed too long ago, or in the future");
  try {
    return eventOf(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    throw new WebhookError("body", "the event cannot be read", { cause });
  }
}

interface Signed {
  /** Unix time. */
  at: number;
  right: boolean;
}

/** Reads t=<Unix time>,v1=<hex>, with a v1 for each secret while one replaces another. */
async function verifyOwn(secret: string, text: string, body: Uint8Array): Promise<Signed> {
  const [stamp = "", ...fields] = text.split(",");
  const at = stamp.replace(/^t=/, "");
  const given = fields.map((field) => fromHex(field.replace(/^v1=/, "")));
  const right = stamp.startsWith("t=") && (await anyRight(encoder.encode(secret), `${at}.`, body, given));
  return { at: Number(at), right };
}

/** Reads the headers of Standard Webhooks: v1,<base64>, several with spaces between them. */
async function verifyStandard(secret: string, headers: WebhookHeaders, body: Uint8Array): Promise<Signed> {
  const at = header(headers, "webhook-timestamp") ?? "";
  const given = (header(headers, "webhook-signature") ?? "").split(" ").map((field) => fromBase64(field.replace(/^v1,/, "")));
  const key = fromBase64(secret.replace(/^whsec_/, ""));
  const right = await anyRight(key, `${header(headers, "webhook-id")}.${at}.`, body, given);
  return { at: Number(at), right };
}

/** Compares each signature with the right one, in constant time. */
async function anyRight(key: Uint8Array<ArrayBuffer>, before: string, body: Uint8Array, given: Uint8Array<ArrayBuffer>[]): Promise<boolean> {
  if (key.length === 0) return false;
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const head = encoder.encode(before);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const right = await Promise.all(given.map((one) => crypto.subtle.verify("HMAC", imported, one, signed)));
  return right.includes(true);
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

/** Knows those of other packages too, such as undici's, which are no instances of the global Headers. */
function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === "function";
}

/** Bytes of hex; none of what is not hex. */
function fromHex(text: string): Uint8Array<ArrayBuffer> {
  if (!/^([0-9a-f]{2})*$/i.test(text)) return new Uint8Array();
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

/** Bytes of base64; none of what is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
