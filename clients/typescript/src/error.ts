import type { components } from "./schema.js";

/** One thing that is wrong with a request, or worth a warning. */
export type Detail = components["schemas"]["Detail"];

/** Names a kind of error; a newer server may have more of them. */
export type ErrorCode = components["schemas"]["Error"]["code"] | (string & {});

/** What a call ends with unless it succeeds. A call that its caller has aborted ends with the reason of the signal. */
export class CrierError extends Error {
  override readonly name = "CrierError";
  /** Of HTTP; undefined where there was no answer. */
  readonly status: number | undefined;
  /** Undefined where there was no answer, or one that is not crier's. */
  readonly code: ErrorCode | undefined;
  /** All that is wrong with a request, each with its field; of account_ambiguous, the accounts to choose from. */
  readonly details: readonly Detail[];
  /** The page that explains the code. */
  readonly documentation: string | undefined;
  /** Names the request in the server's logs. */
  readonly requestId: string | undefined;
  /** Seconds after which the server is to be asked again, where it said so. */
  readonly retryAfter: number | undefined;

  constructor(message: string, said: Partial<Omit<CrierError, keyof Error>> & { cause?: unknown } = {}) {
    super(message, { cause: said.cause });
    this.status = said.status;
    this.code = said.code;
    this.details = said.details ?? [];
    this.documentation = said.documentation;
    this.requestId = said.requestId;
    this.retryAfter = said.retryAfter;
  }
}

/** Reads an answer that is no success. */
export function errorOf(response: Response, body: string): CrierError {
  const said = envelope(body);
  const seconds = Number(response.headers.get("Retry-After") ?? "");
  const requestId = response.headers.get("X-Request-Id") ?? undefined;
  const { code, message, details, documentation } = said ?? {};
  let text = code ? `${code} (${response.status}): ${message}` : `the server answered ${response.status}`;
  for (const detail of details ?? []) {
    if (!message?.includes(detail.message)) text += `\n  ${detail.field}: ${detail.message}`;
  }
  if (response.status >= 500 && requestId) text += ` (request ${requestId})`;
  return new CrierError(text, {
    status: response.status, code, details: details ?? [], documentation, requestId,
    retryAfter: Number.isInteger(seconds) && seconds > 0 ? seconds : undefined,
  });
}

function envelope(body: string): Partial<components["schemas"]["Error"]> | undefined {
  try {
    return (JSON.parse(body) as { error?: components["schemas"]["Error"] }).error;
  } catch {
    return undefined;
  }
}
