import type { CallOptions, Query, Sender } from "./send.js";

/** Where the next part of a list begins, as each kind of list tells it. */
interface Page {
  pagination?: { nextCursor?: string | null; hasMore?: boolean; page?: number };
  nextCursor?: string | null;
}

/** Reads a list a page at a time, as its loop goes on. After an error it ends. */
export async function* pages<T>(sender: Sender, path: string, name: string, query: object = {}, options: CallOptions = {}): AsyncGenerator<T, void, undefined> {
  for (let next: Query | undefined = {}; next; ) {
    const answer: Page & Record<string, unknown> = await sender.call("GET", path, { ...options, query: { limit: 100, ...query, ...next } });
    yield* answer[name] as T[];
    next = following(answer);
  }
}

function following(answer: Page): Query | undefined {
  const { pagination } = answer;
  const cursor = pagination?.nextCursor ?? answer.nextCursor;
  if (cursor) return { cursor };
  return pagination?.hasMore && pagination.page !== undefined ? { page: pagination.page + 1 } : undefined;
}
