import { CrierError, errorOf } from "./error.js";
import { Window, machineClock, waitBefore, type Clock, type Retry } from "./retry.js";

/** How a client reaches its server. */
export interface ClientOptions {
  /** An API key. Keep it out of what browsers get: whoever has it can post. */
  key: string;
  /** A base address such as https://crier.example, without /api/v1. Default: http://127.0.0.1:8080. */
  server?: string;
  /** Milliseconds for one try of a request; uploads have as long as they take. Default: 60,000. */
  timeout?: number;
  retry?: Retry;
  /** Sends requests in place of the global fetch, such as by a proxy. */
  fetch?: typeof fetch;
  /** Of tests. */
  clock?: Clock;
}

/** Changes one call. */
export interface CallOptions {
  /** Ends the call, its waits included. */
  signal?: AbortSignal | undefined;
}

/** Changes one creation. */
export interface CreateOptions extends CallOptions {
  /**
   * Names the creation, so that it is made once even where two programs, or one that was started again, ask for it:
   * within a day the same request has the same answer. Without it each call has a key of its own.
   */
  idempotencyKey?: string | undefined;
}

/** What of a request goes into its address: nothing for what is undefined. */
export type Query = Record<string, string | number | boolean | Date | readonly string[] | Record<string, string> | undefined>;

export interface Call extends CallOptions {
  query?: Query;
  body?: unknown;
  /** Makes a POST one that may be sent again. */
  idempotencyKey?: string;
  /** Says that a POST without a key may be sent again. */
  repeatable?: boolean;
  /** Says that the server may take minutes. */
  slow?: boolean;
}

interface Sent {
  url: string;
  init: RequestInit;
  safe: boolean;
  slow: boolean;
  /** Whether it counts for the key's rate limit. */
  limited: boolean;
  signal: AbortSignal | undefined;
}

/** Sends requests, and again where that is safe. */
export class Sender {
  private readonly base: string;
  /** Private at run time too: whatever shows a client, such as console.log, shows no key. */
  readonly #key: string;
  private readonly timeout: number;
  private readonly fetch: typeof fetch | undefined;
  private readonly retry: Required<Omit<Retry, "notify">>;
  private readonly notify: Retry["notify"];
  private readonly clock: Clock;
  private readonly window = new Window();

  constructor(options: ClientOptions) {
    const server = (options.server ?? "http://127.0.0.1:8080").replace(/\/+$/, "");
    if (!/^https?:\/\/[^/]/.test(server) || server.endsWith("/api/v1")) throw new TypeError(`${JSON.stringify(server)} is no address of a server: write it like http://127.0.0.1:8080`);
    this.#key = (options.key ?? "").trim(); // one read from a file often ends with a line break
    // Said here, for fetch would show the key.
    if (!/^[!-~]+$/.test(this.#key)) throw new TypeError("the key is empty, or has a space, a line break or another sign that no key has");
    this.base = server + "/api/v1";
    this.timeout = options.timeout ?? 60_000;
    this.fetch = options.fetch;
    const { tries = 8, for: limit = 90_000, wait = 500, notify } = options.retry ?? {};
    this.retry = { tries, for: limit, wait };
    this.notify = notify;
    this.clock = options.clock ?? machineClock;
  }

  /** Calls the API, and reads the answer of success. */
  async call<T>(method: string, path: string, call: Call = {}): Promise<T> {
    const headers = new Headers({ Authorization: `Bearer ${this.#key}` });
    if (call.body !== undefined) headers.set("Content-Type", "application/json");
    if (call.idempotencyKey !== undefined) headers.set("Idempotency-Key", call.idempotencyKey);
    const text = await this.send({
      url: this.base + path + search(call.query),
      init: { method, headers, ...(call.body !== undefined && { body: JSON.stringify(call.body) }) },
      safe: method !== "POST" || call.idempotencyKey !== undefined || call.repeatable === true,
      slow: call.slow === true,
      limited: true,
      signal: call.signal,
    });
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw new CrierError("calling crier: the answer is not crier's", { cause });
    }
  }

  /** Sends a file, or a part of one, to its address, which takes no key. */
  async put(url: string, headers: Record<string, string>, body: Blob, signal: AbortSignal | undefined): Promise<void> {
    await this.send({ url, init: { method: "PUT", headers, body }, safe: true, slow: true, limited: false, signal });
  }

  private async send(sent: Sent): Promise<string> {
    const ends = this.clock.now() + this.retry.for;
    for (let next = 2; ; next++) {
      const full = this.window.wait(this.clock.now());
      if (sent.limited && full > 0 && this.fits(full, ends)) await this.clock.wait(full, sent.signal);
      try {
        return await this.once(sent);
      } catch (failed) {
        if (!(failed instanceof CrierError)) throw failed;
        const wait = failed.retryAfter !== undefined ? failed.retryAfter * 1000 : waitBefore(next, this.retry.wait);
        if (next > this.retry.tries || !again(sent.safe, failed) || !this.fits(wait, ends)) throw failed;
        this.notify?.(failed, wait);
        await this.clock.wait(wait, sent.signal);
      }
    }
  }

  private fits(wait: number, ends: number): boolean {
    return this.retry.tries > 1 && this.clock.now() + wait <= ends;
  }

  /** Sends a request once and reads its answer whole. */
  private async once(sent: Sent): Promise<string> {
    sent.signal?.throwIfAborted();
    const ended = sent.slow ? [] : [AbortSignal.timeout(this.timeout)];
    const signal = AbortSignal.any([...ended, ...(sent.signal ? [sent.signal] : [])]);
    const call = this.fetch ?? fetch;
    try {
      // A redirect is not followed: a creation would become a read on the way, whose answer says nothing of it.
      const response = await call(sent.url, { ...sent.init, signal, redirect: "manual" });
      const body = await response.text();
      const refused = response.ok ? undefined : errorOf(response, body);
      this.window.heed(response.headers, refused, this.clock.now());
      if (refused) throw refused;
      return body;
    } catch (failed) {
      if (failed instanceof CrierError) throw failed;
      sent.signal?.throwIfAborted();
      throw new CrierError(`calling crier: ${reason(failed)}`, { cause: failed });
    }
  }
}

/** Says whether a request that failed is worth sending again, and safe. */
function again(safe: boolean, failed: CrierError): boolean {
  switch (failed.status) {
    case undefined:
      return safe || neverSent(failed.cause);
    case 429: // the daily limit of an account lasts for longer than anybody waits
      return failed.code === "rate_limit_exceeded" || failed.code === undefined;
    case 503:
      return safe || failed.retryAfter !== undefined;
    default:
      return safe && failed.status >= 500;
  }
}

/** Says whether a request cannot have taken effect, since nobody was reached: as far as Node tells; browsers do not. */
function neverSent(failed: unknown): boolean {
  const code = (failed as { cause?: { code?: unknown } }).cause?.code;
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "UND_ERR_CONNECT_TIMEOUT";
}

function reason(failed: unknown): string {
  const cause = (failed as { cause?: unknown }).cause ?? failed;
  return cause instanceof Error ? cause.message : String(cause);
}

function search(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) params.set(name, value.join(","));
    else if (value instanceof Date) params.set(name, value.toISOString());
    else if (typeof value === "object") for (const [key, one] of Object.entries(value)) params.set(`${name}[${key}]`, one);
    else params.set(name, String(value));
  }
  return params.size > 0 ? `?${params}` : "";
}

/** The key of a creation: the caller's, or one that nobody else has. */
export function keyed(options: CreateOptions = {}): Call {
  const random = crypto.getRandomValues(new Uint8Array(16));
  const own = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { ...options, idempotencyKey: options.idempotencyKey ?? own };
}
