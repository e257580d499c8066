import { Accounts, Brands, Queues } from "./resources/accounts.js";
import { Analytics, Keys } from "./resources/analytics.js";
import { Engagement, Feeds, Monitors } from "./resources/engagement.js";
import { MediaFiles } from "./resources/media.js";
import { Posts, Threads } from "./resources/posts.js";
import { Events, Webhooks } from "./resources/webhooks.js";
import { Sender, type ClientOptions } from "./send.js";

/** Calls crier's API with one key. */
export class Crier {
  readonly posts: Posts;
  readonly threads: Threads;
  readonly accounts: Accounts;
  readonly brands: Brands;
  readonly queues: Queues;
  readonly media: MediaFiles;
  readonly webhooks: Webhooks;
  readonly events: Events;
  readonly engagement: Engagement;
  readonly monitors: Monitors;
  readonly feeds: Feeds;
  readonly analytics: Analytics;
  readonly keys: Keys;

  constructor(options: ClientOptions) {
    const sender = new Sender(options);
    this.posts = new Posts(sender);
    this.threads = new Threads(sender);
    this.accounts = new Accounts(sender);
    this.brands = new Brands(sender);
    this.queues = new Queues(sender);
    this.media = new MediaFiles(sender);
    this.webhooks = new Webhooks(sender);
    this.events = new Events(sender);
    this.engagement = new Engagement(sender);
    this.monitors = new Monitors(sender);
    this.feeds = new Feeds(sender);
    this.analytics = new Analytics(sender);
    this.keys = new Keys(sender);
  }
}
