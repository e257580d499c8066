import { pages } from "../list.js";
import type { components } from "../schema.js";
import { keyed, type CallOptions, type CreateOptions, type Sender } from "../send.js";
import type { FeedItem, Filter, InboxItem, Monitor, Platform, Reply } from "../types.js";

type Schemas = components["schemas"];

/** Reads what people write to accounts, and replies to it. */
export class Engagement {
  constructor(private readonly sender: Sender) {}

  /** What people wrote under posts, the newest first. A comment is here at once; its text and author follow within seconds. */
  comments(filter?: Filter<"listComments">, options?: CallOptions): AsyncGenerator<InboxItem, void, undefined> {
    return pages(this.sender, "/engagement/comments", "items", filter, options);
  }

  /** What people wrote elsewhere that names an account, the newest first. */
  mentions(filter?: Filter<"listMentions">, options?: CallOptions): AsyncGenerator<InboxItem, void, undefined> {
    return pages(this.sender, "/engagement/mentions", "items", filter, options);
  }

  /** What nobody has read, up to 1,000 of each kind; accounts without any are left out. */
  async unread(options?: CallOptions): Promise<Schemas["InboxResponse"]["unread"]> {
    const response = await this.sender.call<Schemas["InboxResponse"]>("GET", "/engagement/mentions", { ...options, query: { limit: 1 } });
    return response.unread;
  }

  /** Marks up to 100 items as read, or as unread, and says how many were not before. */
  async mark(itemIds: string[], read = true, options?: CallOptions): Promise<number> {
    const response = await this.sender.call<Schemas["MarkResponse"]>("POST", "/engagement/read", { ...options, body: { itemIds, read }, repeatable: true });
    return response.changed;
  }

  /** Stores an answer to a comment or a mention for good; it goes out within a second, by the account that was written to. */
  async reply(itemId: string, text: string, options?: CreateOptions): Promise<Reply> {
    const response = await this.sender.call<{ reply: Reply }>("POST", "/engagement/replies", { ...keyed(options), body: { itemId, text } });
    return response.reply;
  }

  /** What became of a reply. */
  async getReply(id: string, options?: CallOptions): Promise<Reply> {
    const response = await this.sender.call<{ reply: Reply }>("GET", `/engagement/replies/${encodeURIComponent(id)}`, options);
    return response.reply;
  }

  /** What is spoken in a video on youtube. Each time costs 250 of the 10,000 units that YouTube gives crier's app a day. */
  async transcript(captions: Filter<"getTranscript">, options?: CallOptions): Promise<Schemas["TranscriptResponse"]["transcript"]> {
    const response = await this.sender.call<Schemas["TranscriptResponse"]>("GET", "/engagement/transcript", { ...options, query: captions });
    return response.transcript;
  }
}

/** Has crier look for keywords on public streams. */
export class Monitors {
  constructor(private readonly sender: Sender) {}

  async create(made: Schemas["MonitorCreate"], options?: CallOptions): Promise<Monitor> {
    return monitor(await this.sender.call("POST", "/feeds/keywords", { ...options, body: made }));
  }

  list(options?: CallOptions): AsyncGenerator<Monitor, void, undefined> {
    return pages(this.sender, "/feeds/keywords", "monitors", {}, options);
  }

  async get(id: string, options?: CallOptions): Promise<Monitor> {
    return monitor(await this.sender.call("GET", `/feeds/keywords/${encodeURIComponent(id)}`, options));
  }

  async update(id: string, change: Schemas["MonitorUpdate"], options?: CallOptions): Promise<Monitor> {
    return monitor(await this.sender.call("PATCH", `/feeds/keywords/${encodeURIComponent(id)}`, { ...options, body: change }));
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.sender.call("DELETE", `/feeds/keywords/${encodeURIComponent(id)}`, options);
  }

  /** What a monitor found, the newest first. */
  items(id: string, filter?: Filter<"listMonitorItems">, options?: CallOptions): AsyncGenerator<FeedItem, void, undefined> {
    return pages(this.sender, `/feeds/keywords/${encodeURIComponent(id)}/items`, "items", filter, options);
  }
}

/** Searches public posts and reads profiles. */
export class Feeds {
  constructor(private readonly sender: Sender) {}

  search(search: Filter<"searchFeed">, options?: CallOptions): AsyncGenerator<FeedItem, void, undefined> {
    return pages(this.sender, "/feeds/search", "items", search, options);
  }

  /** What a platform shows of somebody to everybody. */
  async profile(platform: Platform, handle: string, options?: CallOptions): Promise<Schemas["PublicProfileResponse"]["profile"]> {
    const response = await this.sender.call<Schemas["PublicProfileResponse"]>("GET", "/feeds/profile", { ...options, query: { platform, handle } });
    return response.profile;
  }
}

function monitor(response: { monitor: Monitor }): Monitor {
  return response.monitor;
}
