import { eventOf, type CrierEvent } from "../events.js";
import { pages } from "../list.js";
import type { components } from "../schema.js";
import type { CallOptions, Sender } from "../send.js";
import type { Delivery, EventName, Filter, Webhook } from "../types.js";

type Schemas = components["schemas"];

/** Makes receivers of events. */
export class Webhooks {
  constructor(private readonly sender: Sender) {}

  /** Makes a webhook. Its secret, which verifyWebhook needs, is shown this once. */
  async create(url: string, events: EventName[], options?: CallOptions): Promise<Webhook> {
    return webhook(await this.sender.call("POST", "/webhooks", { ...options, body: { url, events } }));
  }

  async list(options?: CallOptions): Promise<Webhook[]> {
    const response = await this.sender.call<{ webhooks: Webhook[] }>("GET", "/webhooks", options);
    return response.webhooks;
  }

  async get(id: string, options?: CallOptions): Promise<Webhook> {
    return webhook(await this.sender.call("GET", `/webhooks/${encodeURIComponent(id)}`, options));
  }

  async update(id: string, change: Schemas["WebhookUpdate"], options?: CallOptions): Promise<Webhook> {
    return webhook(await this.sender.call("PATCH", `/webhooks/${encodeURIComponent(id)}`, { ...options, body: change }));
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.sender.call("DELETE", `/webhooks/${encodeURIComponent(id)}`, options);
  }

  /** Sends sample data, and tells what the receiver answered. */
  async test(id: string, event: EventName, options?: CallOptions): Promise<Schemas["TestResponse"]["test"]> {
    const response = await this.sender.call<Schemas["TestResponse"]>("POST", `/webhooks/${encodeURIComponent(id)}/test`, { ...options, body: { event }, slow: true });
    return response.test;
  }

  /** Makes another secret; the old one signs too for overlapSeconds, a day unless they are named. */
  async rotateSecret(id: string, overlapSeconds?: number, options?: CallOptions): Promise<Webhook> {
    return webhook(await this.sender.call("POST", `/webhooks/${encodeURIComponent(id)}/rotate-secret`, { ...options, body: { overlapSeconds } }));
  }

  /** What was sent, the newest first. */
  deliveries(id: string, filter?: Filter<"searchDeliveries">, options?: CallOptions): AsyncGenerator<Delivery, void, undefined> {
    return pages(this.sender, `/webhooks/${encodeURIComponent(id)}/deliveries`, "deliveries", filter, options);
  }

  /** A delivery, with what was sent. */
  async delivery(id: string, delivery: string, options?: CallOptions): Promise<Schemas["DeliveryDetailResponse"]["delivery"]> {
    const path = `/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(delivery)}`;
    const response = await this.sender.call<Schemas["DeliveryDetailResponse"]>("GET", path, options);
    return response.delivery;
  }

  /** Sends a delivery again. */
  async redeliver(id: string, delivery: string, options?: CallOptions): Promise<Delivery> {
    const path = `/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(delivery)}/redeliver`;
    const response = await this.sender.call<{ delivery: Delivery }>("POST", path, options);
    return response.delivery;
  }

  /** Sends again what failed since a time, and tells how many deliveries that were and whether there are more. */
  async redeliverFailed(id: string, since: string | Date, options?: CallOptions): Promise<Schemas["RedeliveredResponse"]> {
    return this.sender.call("POST", `/webhooks/${encodeURIComponent(id)}/redeliver`, { ...options, body: { since } });
  }
}

/** Reads what happened, whether or not a webhook was there to get it. */
export class Events {
  constructor(private readonly sender: Sender) {}

  /** Events in the order in which crier recorded them, up to now: go on later after the id of the last one. */
  async *list(filter: { after?: string; names?: EventName[] } = {}, options: CallOptions = {}): AsyncGenerator<CrierEvent, void, undefined> {
    for (let after = filter.after, more = true; more; ) {
      const query = { after, type: filter.names, limit: 100 };
      const response: { events: unknown[]; nextCursor: string | null; hasMore: boolean } = await this.sender.call("GET", "/events", { ...options, query });
      for (const event of response.events) yield eventOf(event);
      after = response.nextCursor ?? undefined;
      more = response.hasMore;
    }
  }
}

function webhook(response: { webhook: Webhook }): Webhook {
  return response.webhook;
}
