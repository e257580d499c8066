import { pages } from "../list.js";
import type { components } from "../schema.js";
import type { CallOptions, Sender } from "../send.js";
import type { Answer, Filter, Key, Usage } from "../types.js";

/** How posts and accounts do, as crier last read it from their platforms. What no platform tells is null, which is not zero. */
export class Analytics {
  constructor(private readonly sender: Sender) {}

  /** What was posted and what failed, by day and platform, and how those do that were published in the range. */
  async posts(filter?: Filter<"countPosts">, options?: CallOptions): Promise<Answer<"countPosts">> {
    return this.sender.call("GET", "/analytics/posts", { ...options, query: { ...filter } });
  }

  /** How accounts gain followers. */
  async followers(filter?: Filter<"countFollowers">, options?: CallOptions): Promise<Answer<"countFollowers">> {
    return this.sender.call("GET", "/analytics/followers", { ...options, query: { ...filter } });
  }

  /** How long videos on youtube are watched, the most viewed first. */
  async retention(filter?: Filter<"getRetention">, options?: CallOptions): Promise<Answer<"getRetention">> {
    return this.sender.call("GET", "/analytics/retention", { ...options, query: { ...filter } });
  }

  /** In which hours of the week posts do best by their own history, and how far that can be trusted. */
  async bestTimes(filter?: Filter<"getBestTimes">, options?: CallOptions): Promise<Answer<"getBestTimes">> {
    return this.sender.call("GET", "/analytics/best-times", { ...options, query: { ...filter } });
  }
}

/** Makes API keys; it needs a key with the permission admin. */
export class Keys {
  constructor(private readonly sender: Sender) {}

  /** Makes a key. Its key is shown this once. */
  async create(made: components["schemas"]["KeyCreate"], options?: CallOptions): Promise<Key> {
    return key(await this.sender.call("POST", "/keys", { ...options, body: made }));
  }

  list(options?: CallOptions): AsyncGenerator<Key, void, undefined> {
    return pages(this.sender, "/keys", "keys", {}, options);
  }

  async get(id: string, options?: CallOptions): Promise<Key> {
    return key(await this.sender.call("GET", `/keys/${encodeURIComponent(id)}`, options));
  }

  /** Makes a key in place of another, which works on for overlapSeconds, a week at most. */
  async rotate(id: string, overlapSeconds?: number, options?: CallOptions): Promise<Key> {
    return key(await this.sender.call("POST", `/keys/${encodeURIComponent(id)}/rotate`, { ...options, body: { overlapSeconds } }));
  }

  /** Ends a key. */
  async revoke(id: string, options?: CallOptions): Promise<void> {
    await this.sender.call("DELETE", `/keys/${encodeURIComponent(id)}`, options);
  }

  /** What is used of the workspace's plan. */
  async usage(options?: CallOptions): Promise<Usage> {
    const response = await this.sender.call<{ usage: Usage }>("GET", "/usage", options);
    return response.usage;
  }
}

function key(response: { key: Key }): Key {
  return response.key;
}
