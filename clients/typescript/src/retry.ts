import type { CrierError } from "./error.js";

/** When a request is sent again. */
export interface Retry {
  /** The first one included; 1: nothing is sent again. Default: 8. */
  tries?: number;
  /** Milliseconds; a wait that ends later than these is not begun. Default: 90,000. */
  for?: number;
  /** Milliseconds before the second try, doubled for each further one, up to 30 s, and spread by a quarter. Default: 500. */
  wait?: number;
  /** Told of each try that failed and is followed by another, and of the milliseconds until then. */
  notify?: (failed: CrierError, wait: number) => void;
}

/** What a client measures and waits by: the machine's clock, unless a test has another. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason where that comes first. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const machineClock: Clock = {
  now: () => Date.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const aborted = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", aborted);
        resolve();
      }, milliseconds);
      signal?.addEventListener("abort", aborted, { once: true });
    }),
};

const longestWait = 30_000;

/** Milliseconds before a try, the second or a later one. */
export function waitBefore(next: number, first: number): number {
  const wait = Math.min(first * 2 ** (next - 2), longestWait);
  return wait * (0.75 + Math.random() / 2);
}

/** The rate limit of the key: while it is used up, nothing is sent. A key that goes on in spite of 429 is suspended. */
export class Window {
  private resumes = 0;

  /** Notes when the key may be used again if an answer has used up its limit. */
  heed(headers: Headers, refused: CrierError | undefined, now: number): void {
    let wait = 0;
    if (refused?.code === "rate_limit_exceeded") wait = Math.max((refused.retryAfter ?? 0) * 1000, 1000);
    else if (headers.get("X-RateLimit-Remaining") === "0") wait = untilReset(headers);
    this.resumes = Math.max(this.resumes, now + wait);
  }

  /** Milliseconds for which the key is not to be used. */
  wait(now: number): number {
    return Math.max(this.resumes - now, 0);
  }
}

/** The rest of the minute by the server's own clock. */
function untilReset(headers: Headers): number {
  const rest = Number(headers.get("X-RateLimit-Reset")) - Date.parse(headers.get("Date") ?? "");
  return Number.isNaN(rest) ? 0 : Math.min(Math.max(rest, 0), 60_000);
}
