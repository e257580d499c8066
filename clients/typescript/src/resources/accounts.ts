import type { CallOptions, Sender } from "../send.js";
import type { components } from "../schema.js";
import type { Account, AccountHealth, Brand, ConnectWay, Entity, Filter, Platform, PlatformLimits, Queue } from "../types.js";

type Schemas = components["schemas"];

/** Connects accounts and says whether they work. Connecting needs a key with the permission admin. */
export class Accounts {
  constructor(private readonly sender: Sender) {}

  async list(filter?: Filter<"listAccounts">, options?: CallOptions): Promise<Account[]> {
    const response = await this.sender.call<{ accounts: Account[] }>("GET", "/accounts", { ...options, query: { ...filter } });
    return response.accounts;
  }

  async get(id: string, options?: CallOptions): Promise<Account> {
    const response = await this.sender.call<{ account: Account }>("GET", `/accounts/${encodeURIComponent(id)}`, options);
    return response.account;
  }

  /** Names an account, or puts it into a brand; a brandId of null takes it out. */
  async update(id: string, change: Schemas["AccountUpdate"], options?: CallOptions): Promise<Account> {
    const response = await this.sender.call<{ account: Account }>("PATCH", `/accounts/${encodeURIComponent(id)}`, { ...options, body: change });
    return response.account;
  }

  /** Ends an account: its credentials are erased, and its posts fail. */
  async disconnect(id: string, options?: CallOptions): Promise<void> {
    await this.sender.call("DELETE", `/accounts/${encodeURIComponent(id)}`, options);
  }

  /** Holds what goes out on an account until it is resumed. What is more than a day late then ends as missed_deadline. */
  async pause(id: string, reason?: string, options?: CallOptions): Promise<Account> {
    const response = await this.sender.call<{ account: Account }>("POST", `/accounts/${encodeURIComponent(id)}/pause`, { ...options, body: { reason }, repeatable: true });
    return response.account;
  }

  /** Lets go out what a pause has held. It is refused as paused_by_operator while the operator's pause stands. */
  async resume(id: string, options?: CallOptions): Promise<Account> {
    const response = await this.sender.call<{ account: Account }>("POST", `/accounts/${encodeURIComponent(id)}/resume`, { ...options, repeatable: true });
    return response.account;
  }

  /** Asks the platform whether an account works. */
  async health(id: string, options?: CallOptions): Promise<AccountHealth> {
    const response = await this.sender.call<{ health: AccountHealth }>("GET", `/accounts/${encodeURIComponent(id)}/health`, options);
    return response.health;
  }

  /** Asks the platforms whether accounts work. */
  async healthOfAll(filter?: Filter<"checkAccounts">, options?: CallOptions): Promise<AccountHealth[]> {
    const response = await this.sender.call<{ results: AccountHealth[] }>("GET", "/accounts/health", { ...options, query: { ...filter } });
    return response.results;
  }

  /** How accounts of each platform are connected on this server. */
  async ways(options?: CallOptions): Promise<ConnectWay[]> {
    const response = await this.sender.call<{ platforms: ConnectWay[] }>("GET", "/connect", options);
    return response.platforms;
  }

  /** Begins to connect an account on its platform's page: open authUrl in the browser of the person whose account it is. */
  async askConsent(platform: Platform, request?: Filter<"beginConnect">, options?: CallOptions): Promise<Schemas["ConnectBegunResponse"]> {
    return this.sender.call("GET", `/connect/${platform}`, { ...options, query: { ...request } });
  }

  /** What a person who has consented may choose to connect. */
  async entities(platform: Platform, selectionToken: string, options?: CallOptions): Promise<Entity[]> {
    const response = await this.sender.call<{ entities: Entity[] }>("GET", `/connect/${platform}/entities`, { ...options, query: { selectionToken } });
    return response.entities;
  }

  /** Connects what a person has chosen: all of it, or nothing. */
  async select(platform: Platform, selection: Schemas["EntitiesSelection"], options?: CallOptions): Promise<Account[]> {
    const response = await this.sender.call<{ accounts: Account[] }>("POST", `/connect/${platform}/select`, { ...options, body: selection });
    return response.accounts;
  }

  /** What each platform accepts. */
  async limits(options?: CallOptions): Promise<PlatformLimits[]> {
    const response = await this.sender.call<{ platforms: PlatformLimits[] }>("GET", "/platforms", options);
    return response.platforms;
  }

  /** What one platform accepts: of the account with an id, or of one of which nothing else is known. */
  async limitsOf(platform: Platform, accountId?: string, options?: CallOptions): Promise<PlatformLimits> {
    const response = await this.sender.call<{ platform: PlatformLimits }>("GET", `/platforms/${platform}`, { ...options, query: { accountId } });
    return response.platform;
  }
}

/** Makes groups of accounts. */
export class Brands {
  constructor(private readonly sender: Sender) {}

  async create(name: string, options?: CallOptions): Promise<Brand> {
    return brand(await this.sender.call("POST", "/brands", { ...options, body: { name } }));
  }

  async list(options?: CallOptions): Promise<Brand[]> {
    const response = await this.sender.call<{ brands: Brand[] }>("GET", "/brands", options);
    return response.brands;
  }

  async get(id: string, options?: CallOptions): Promise<Brand> {
    return brand(await this.sender.call("GET", `/brands/${encodeURIComponent(id)}`, options));
  }

  async rename(id: string, name: string, options?: CallOptions): Promise<Brand> {
    return brand(await this.sender.call("PATCH", `/brands/${encodeURIComponent(id)}`, { ...options, body: { name } }));
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.sender.call("DELETE", `/brands/${encodeURIComponent(id)}`, options);
  }
}

/** Makes weekly slots that posts are placed in. */
export class Queues {
  constructor(private readonly sender: Sender) {}

  async create(made: Schemas["QueueCreate"], options?: CallOptions): Promise<Queue> {
    return queue(await this.sender.call("POST", "/queues", { ...options, body: made }));
  }

  async list(options?: CallOptions): Promise<Queue[]> {
    const response = await this.sender.call<{ queues: Queue[] }>("GET", "/queues", options);
    return response.queues;
  }

  async get(id: string, options?: CallOptions): Promise<Queue> {
    return queue(await this.sender.call("GET", `/queues/${encodeURIComponent(id)}`, options));
  }

  /** Changes a queue; posts that it has placed stay where they are. */
  async update(id: string, change: Schemas["QueueUpdate"], options?: CallOptions): Promise<Queue> {
    return queue(await this.sender.call("PATCH", `/queues/${encodeURIComponent(id)}`, { ...options, body: change }));
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.sender.call("DELETE", `/queues/${encodeURIComponent(id)}`, options);
  }

  /** The next free slots, at most limit of them. */
  async slots(id: string, limit?: number, options?: CallOptions): Promise<string[]> {
    const response = await this.sender.call<{ slots: string[] }>("GET", `/queues/${encodeURIComponent(id)}/slots`, { ...options, query: { limit } });
    return response.slots;
  }
}

function brand(response: { brand: Brand }): Brand {
  return response.brand;
}

function queue(response: { queue: Queue }): Queue {
  return response.queue;
}
