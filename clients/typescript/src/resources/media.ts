import { pages } from "../list.js";
import type { components } from "../schema.js";
import type { CallOptions, Sender } from "../send.js";
import type { Media } from "../types.js";

/** What is said of a file that is sent. */
export interface UploadOptions extends CallOptions {
  /** Default: the name of a File. */
  fileName?: string;
  /** Used where a media item has none of its own. */
  altText?: string;
  /** In hex: what arrives is compared with it. */
  sha256?: string;
  /** Told how many bytes have arrived, part by part. */
  onProgress?: (sent: number, total: number) => void;
}

type Address = components["schemas"]["MediaAddressResponse"];
type Part = Pick<components["schemas"]["UploadPart"], "uploadUrl" | "offset" | "size">;

/** How many parts of a file are sent at a time. */
const inHand = 3;

/** Uploads files for posts. */
export class MediaFiles {
  constructor(private readonly sender: Sender) {}

  /**
   * Sends a file of any kind and size, or its bytes, in parts if it is large, and returns what it is. Of a file on a disk,
   * `openAsBlob` of node:fs reads no more than the parts in hand. The upload is removed after a week unless a post uses it.
   */
  async upload(content: Blob | Uint8Array, options: UploadOptions = {}): Promise<Media> {
    const file = ArrayBuffer.isView(content) ? new Blob([content as Uint8Array<ArrayBuffer>]) : content;
    const { fileName = (file as Partial<File>).name, altText, sha256, onProgress, signal } = options;
    const address = await this.sender.call<Address>("POST", "/media/upload-url", { signal, body: { fileName, altText, sha256, size: file.size } });
    const parts: Part[] = address.parts ?? [{ uploadUrl: address.uploadUrl, offset: 0, size: file.size }];
    let sent = 0;
    await inTurn(parts, async (part, failed) => {
      const ended = AbortSignal.any([failed, ...(signal ? [signal] : [])]);
      await this.sender.put(part.uploadUrl, address.headers, file.slice(part.offset, part.offset + part.size), ended);
      sent += part.size;
      onProgress?.(sent, file.size);
    });
    return media(await this.sender.call("POST", `/media/${encodeURIComponent(address.mediaId)}/complete`, { signal, repeatable: true, slow: true }));
  }

  /** Has the server fetch a file from a public address, which may take minutes. */
  async fromUrl(file: components["schemas"]["MediaFromUrl"], options?: CallOptions): Promise<Media> {
    return media(await this.sender.call("POST", "/media/from-url", { ...options, body: file, slow: true }));
  }

  async get(id: string, options?: CallOptions): Promise<Media> {
    return media(await this.sender.call("GET", `/media/${encodeURIComponent(id)}`, options));
  }

  /** Changes the description of an upload. Posts that were made before keep theirs. */
  async describe(id: string, altText: string, options?: CallOptions): Promise<Media> {
    return media(await this.sender.call("PATCH", `/media/${encodeURIComponent(id)}`, { ...options, body: { altText } }));
  }

  /** Removes an upload; one that an open post uses stays, and is an error. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.sender.call("DELETE", `/media/${encodeURIComponent(id)}`, options);
  }

  /** Uploads, newest first. */
  list(options?: CallOptions): AsyncGenerator<Media, void, undefined> {
    return pages(this.sender, "/media", "media", {}, options);
  }
}

/** Does something with each, a few at a time. The first failure ends the others, and is the error. */
async function inTurn<T>(all: readonly T[], each: (one: T, failed: AbortSignal) => Promise<void>): Promise<void> {
  const rest = all.values();
  const end = new AbortController();
  const work = async () => {
    for (const one of rest) await each(one, end.signal);
  };
  try {
    await Promise.all(Array.from({ length: inHand }, work));
  } catch (failed) {
    end.abort(failed);
    throw failed;
  }
}

function media(response: { media: Media }): Media {
  return response.media;
}
