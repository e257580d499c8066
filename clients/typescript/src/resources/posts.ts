import { pages } from "../list.js";
import { keyed, type CallOptions, type CreateOptions, type Sender } from "../send.js";
import type {
  Attempt, Bulk, BulkResponse, Filter, Post, PostCreate, PostRetry, PostUpdate, Thread, ThreadCreate, ThreadUpdate, Validation, Warned,
} from "../types.js";
import type { Detail } from "../error.js";

interface PostResponse { post: Post; warnings?: Detail[] }
interface ThreadResponse { thread: Thread; warnings?: Detail[] }

/** Makes posts and reads what became of them. */
export class Posts {
  constructor(private readonly sender: Sender) {}

  /** Stores a post for good. Exactly one of publishNow, queue, queueId, scheduledFor and the status draft is needed. */
  async create(post: PostCreate, options?: CreateOptions): Promise<Warned<Post>> {
    return warned(await this.sender.call("POST", "/posts", { ...keyed(options), body: post }));
  }

  /** Makes up to 25 posts by one request, which succeed and fail independently: an error is one of the whole request. */
  async createBulk(bulk: Bulk, options?: CreateOptions): Promise<BulkResponse> {
    return this.sender.call("POST", "/posts/bulk", { ...keyed(options), body: bulk });
  }

  /** Finds the errors and warnings that a creation would; nothing is made. */
  async validate(post: PostCreate, options?: CallOptions): Promise<Validation> {
    const response = await this.sender.call<{ validation: Validation }>("POST", "/posts/validate", { ...options, body: post, repeatable: true });
    return response.validation;
  }

  async get(id: string, options?: CallOptions): Promise<Warned<Post>> {
    return warned(await this.sender.call("GET", `/posts/${encodeURIComponent(id)}`, options));
  }

  /** Reads up to 1,000 posts by their ids, and by ids of your own; what names no post is left out. */
  async lookup(ids: { ids?: string[]; externalIds?: string[] }, options?: CallOptions): Promise<Post[]> {
    const found = new Map<string, Post>(); // posts that share an id of your own may be in two answers
    for (let rest: typeof ids = ids; (rest.ids?.length ?? 0) + (rest.externalIds?.length ?? 0) > 0; ) {
      const response: { posts: Post[]; rest?: typeof ids } = await this.sender.call("POST", "/posts/lookup", { ...options, body: rest, repeatable: true });
      for (const post of response.posts) found.set(post.id, post);
      rest = response.rest ?? {};
    }
    return [...found.values()];
  }

  /** Changes a draft or a scheduled post. After the answer the old version is never published. */
  async update(id: string, change: PostUpdate, options?: CallOptions): Promise<Warned<Post>> {
    return warned(await this.sender.call("PATCH", `/posts/${encodeURIComponent(id)}`, { ...options, body: change }));
  }

  /** Removes a draft, and cancels a scheduled post: it is never published. */
  async cancel(id: string, options?: CallOptions): Promise<void> {
    await this.sender.call("DELETE", `/posts/${encodeURIComponent(id)}`, options);
  }

  /** Sets the failed platforms of a post going again. Nothing that is published is repeated. */
  async retry(id: string, retry: PostRetry = {}, options?: CallOptions): Promise<Warned<Post>> {
    return warned(await this.sender.call("POST", `/posts/${encodeURIComponent(id)}/retry`, { ...options, body: retry }));
  }

  /** What is made or moved meanwhile shifts nothing: each post is read once. */
  list(filter?: Filter<"listPosts">, options?: CallOptions): AsyncGenerator<Post, void, undefined> {
    return pages(this.sender, "/posts", "posts", filter, options);
  }

  /** A post's timeline, oldest first. */
  attempts(id: string, options?: CallOptions): AsyncGenerator<Attempt, void, undefined> {
    return pages(this.sender, `/posts/${encodeURIComponent(id)}/attempts`, "attempts", {}, options);
  }
}

/** Makes posts of several entries and reads what became of them. */
export class Threads {
  constructor(private readonly sender: Sender) {}

  /** Stores a thread for good, as Posts.create does a post. */
  async create(thread: ThreadCreate, options?: CreateOptions): Promise<Warned<Thread>> {
    return warnedThread(await this.sender.call("POST", "/threads", { ...keyed(options), body: thread }));
  }

  async get(id: string, options?: CallOptions): Promise<Warned<Thread>> {
    return warnedThread(await this.sender.call("GET", `/threads/${encodeURIComponent(id)}`, options));
  }

  /** Changes a draft or a scheduled thread. */
  async update(id: string, change: ThreadUpdate, options?: CallOptions): Promise<Warned<Thread>> {
    return warnedThread(await this.sender.call("PATCH", `/threads/${encodeURIComponent(id)}`, { ...options, body: change }));
  }

  /** Removes a draft, and cancels a scheduled thread: it is never published. */
  async cancel(id: string, options?: CallOptions): Promise<void> {
    await this.sender.call("DELETE", `/threads/${encodeURIComponent(id)}`, options);
  }
}

function warned({ post, warnings = [] }: PostResponse): Warned<Post> {
  return { ...post, warnings };
}

function warnedThread({ thread, warnings = [] }: ThreadResponse): Warned<Thread> {
  return { ...thread, warnings };
}
