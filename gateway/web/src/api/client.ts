import createClient, { type Middleware } from 'openapi-fetch'
import { patiently } from './patience'
import type { components, paths } from './schema'

export type Schemas = components['schemas']
export type Post = Schemas['Post']
export type Target = Schemas['PlatformEntry']
export type Account = Schemas['Account']
export type Attempt = Schemas['Attempt']
export type Webhook = Schemas['Webhook']
export type Delivery = Schemas['DeliveryRecord']
export type Key = Schemas['Key']
export type PlatformName = Schemas['PlatformName']
export type MediaItem = {
  mediaId?: string
  url?: string
  type?: 'image' | 'video' | 'pdf'
  altText?: string
  fit?: 'none' | 'contain' | 'cover'
}
export type Session = Schemas['SessionResponse']['session']

// fault is a detail with what it is about: a message such as "must be an address" leaves that to its field.
function fault({ field, message }: Schemas['Detail']): string {
  if (!field || !message.startsWith('must ')) return message
  const name = field.replace(/^.*\./, '').replace(/\[\d+\]$/, '')
  const subject = name === 'scheduledFor' ? 'the time' : name.replace(/[A-Z]/g, (sign) => ' ' + sign.toLowerCase())
  return `${subject} ${message}`
}

// Refusal is an answer of the API that is no success. Its message is meant for people.
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Schemas['Detail'][] = [],
  ) {
    super(message)
  }

  // isOfAnotherScope tells whether another tab has turned the session to another workspace, or mode.
  get isOfAnotherScope(): boolean {
    return this.details.some((d) => d.code === 'scope_changed')
  }

  // sentences says everything that is wrong: of several faults the message alone names none.
  get sentences(): string[] {
    return this.details.length > 0 ? this.details.map(fault) : [this.message]
  }
}

let csrfToken = ''

// rememberToken keeps what requests of the session send that may change something.
export function rememberToken(token: string) {
  csrfToken = token
}

// scopeOf says what a session works on, as requests do; empty: on no workspace.
export const scopeOf = ({ workspace, test }: Session) => (workspace ? `${workspace.id}/${test ? 'test' : 'live'}` : '')

let shown = ''

// showScope keeps what the page shows, which requests say: another tab may turn the session that both share.
export function showScope(scope: string) {
  shown = scope
}

let reread = () => {}

// onTurned names what is done when a request is refused because another tab has turned the session, or it has ended.
export function onTurned(listener: () => void) {
  reread = listener
}

const ofSession: Middleware = {
  onRequest({ request }) {
    if (request.method !== 'GET' && csrfToken) request.headers.set('X-CSRF-Token', csrfToken)
    if (shown) request.headers.set('X-Crier-Scope', shown)
    return request
  },
  onResponse({ request, response }) {
    if (response.status === 401 && request.method !== 'GET') reread() // the session may have ended
  },
}

export const api = createClient<paths>({ baseUrl: '/api/v1', fetch: patiently })
api.use(ofSession)

type Answer<T> = { data?: T; error?: unknown; response: Response }

// ask returns what the API answers, and throws a Refusal where it refuses.
export async function ask<T>(asked: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await asked
  if (data !== undefined && response.ok) return data
  const told = (error as Partial<Schemas['Failure']> | undefined)?.error
  const refusal = new Refusal(response.status, told?.code ?? 'unavailable', told?.message ?? response.statusText, told?.details)
  if (refusal.isOfAnotherScope) reread()
  throw refusal
}

// sentence begins a message of the API with a capital letter, unless it begins with a field, an address or crier's name.
export const sentence = (message: string) => (/^(?!crier\b)[a-z]+[ ,:;]/.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message)

// words says in words why something came to nothing; unreachable is said where no answer came at all.
export function words(error: unknown, unreachable: string): string {
  return error instanceof Refusal ? error.sentences.map(sentence).join(' · ') : unreachable
}

// ownPath is where this server serves a file that it names by its public address, which the browser may know
// it by another of.
export function ownPath(url: string): string {
  const { pathname, search } = new URL(url, window.location.href)
  return pathname.startsWith('/api/') ? pathname + search : url
}
