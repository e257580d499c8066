import type { components, operations } from "./schema.js";
import type { Detail } from "./error.js";

type Schemas = components["schemas"];

/** Times may be given as a Date; crier's are ISO 8601. */
type Timed<T> = { [K in keyof T]: K extends "scheduledFor" | "after" | "before" | "updatedAfter" | "since" ? T[K] | Date : T[K] };

/** What was accepted and may not be what was meant. */
export type Warned<T> = T & { warnings: Detail[] };

/** What of a list or a report is asked for. */
export type Filter<O extends keyof operations> = Timed<Omit<NonNullable<operations[O]["parameters"]["query"]>, "cursor" | "page" | "format">>;

/** The answer in JSON of an operation that has others too. */
export type Answer<O extends keyof operations> = operations[O]["responses"] extends { 200: { content: { "application/json": infer T } } } ? T : never;

export type Platform = Schemas["PlatformName"];
export type EventName = Schemas["EventName"];

export type Post = Schemas["Post"];
export type PostCreate = Timed<Schemas["PostCreate"]>;
/** What is left out stays as it is; lists and objects replace what was there, empty ones clear it. */
export type PostUpdate = Timed<Schemas["PostUpdate"]>;
export type PostRetry = Schemas["PostRetry"];
export type Bulk = Omit<Schemas["BulkCreate"], "posts"> & { posts: PostCreate[] };
export type BulkResponse = Schemas["BulkResponse"];
export type Validation = Schemas["ValidationResponse"]["validation"];
export type Attempt = Schemas["Attempt"];
export type Thread = Schemas["Thread"];
export type ThreadCreate = Timed<Schemas["ThreadCreate"]>;
export type ThreadUpdate = Timed<Schemas["ThreadUpdate"]>;

export type Account = Schemas["Account"];
export type AccountHealth = Schemas["AccountHealth"];
export type ConnectWay = Schemas["ConnectWay"];
export type Entity = Schemas["Entity"];
export type Brand = Schemas["Brand"];
export type Queue = Schemas["Queue"];
export type Media = Schemas["Media"];
export type Webhook = Schemas["Webhook"];
export type Delivery = Schemas["DeliveryRecord"];
export type InboxItem = Schemas["InboxItem"];
export type Reply = Schemas["Reply"];
export type Monitor = Schemas["Monitor"];
export type FeedItem = Schemas["FeedItem"];
export type Key = Schemas["Key"];
export type Usage = Schemas["Usage"];
export type PlatformLimits = Schemas["PlatformLimits"];
