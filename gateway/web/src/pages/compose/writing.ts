import type { MediaItem, PlatformName, Post, Schemas } from '../../api/client'
import type { AccountsById } from '../../api/queries'
import { wallTime, zone } from '../../parts/dates'
import { randomId } from '../../parts/random'
import type { Group, Value } from './settings/described'

export type When = 'now' | 'at' | 'queue' | 'draft'

export type Item = MediaItem & { type: 'image' | 'video' | 'pdf'; name: string; altText: string }

// Entry is what a post says; a thread has several.
export type Entry = {
  id: string
  text: string
  own: Record<string, string> // texts that accounts have of their own, by their ids; in a thread, that of a platform's first account is all theirs
  media: Item[]
  comments: string[]
}

export type Settings = Partial<Record<PlatformName, Group>>

// Writing is a post, or a thread, while it is written.
export type Writing = {
  accounts: string[] // their ids, in the order of choosing
  entries: Entry[]
  settings: Settings
  when: When
  at: string // wall time in the reader's zone, as inputs have it
  queueId: string
}

// threaded are the platforms that take threads.
export const threaded: readonly PlatformName[] = ['twitter', 'threads', 'bluesky', 'mastodon'] satisfies Schemas['ThreadTarget'][]

// mostEntries is how long a thread may be.
export const mostEntries = 25

export const isThread = (w: Writing) => w.entries.length > 1

// offeredTimes are the ways to give a post its time: authors make drafts alone.
export const offeredTimes = (mayPublish: boolean): When[] => (mayPublish ? ['now', 'at', 'queue', 'draft'] : ['draft'])

// whenOf is how a post that exists has its time.
export const whenOf = (post: Post): When => (post.status === 'draft' ? 'draft' : 'at')

export const blankEntry = (): Entry => ({ id: randomId(), text: '', own: {}, media: [], comments: [] })

export function blank(at?: string): Writing {
  const start = at ? new Date(at) : new Date(Math.ceil(Date.now() / 3_600_000 + 0.25) * 3_600_000)
  return { accounts: [], entries: [blankEntry()], settings: {}, when: 'at', at: wallTime(start), queueId: '' }
}

export const isBlank = (w: Writing) => w.entries.every((e) => !e.text && e.media.length === 0 && Object.keys(e.own).length === 0)

// ofPost is the writing that made a post, for a change or a copy; of a thread, with its entries.
export function ofPost(post: Post, thread?: Schemas['Thread']): Writing {
  const settings = structuredClone(post.platformSettings ?? {}) as Settings
  const own: Record<string, string> = {}
  for (const { accountId, platform, contentOverride } of post.platforms) {
    const text = contentOverride ?? settings[platform]?.['content']
    if (typeof text === 'string') own[accountId] = text
  }
  for (const group of Object.values(settings)) delete group['content']
  const commentsOf = (target: number) => post.firstComments.filter((c) => (c.target ?? 0) === target).map((c) => c.text)
  const entries = thread?.posts.map((e, i): Entry => ({
    ...blankEntry(), text: e.content, media: itemsOf(e.mediaItems), comments: commentsOf(i),
    own: Object.fromEntries(post.platforms.flatMap((p) => { const text = e.platformContent?.[p.platform]; return text === undefined ? [] : [[p.accountId, text]] })),
  })) ?? [{ ...blankEntry(), text: post.content, own, media: itemsOf(post.mediaItems), comments: commentsOf(0) }]
  return {
    ...blank(post.scheduledFor && new Date(post.scheduledFor) > new Date() ? post.scheduledFor : undefined),
    accounts: post.platforms.map((p) => p.accountId), entries, settings, when: whenOf(post),
  }
}

const itemsOf = (items: Schemas['MediaItem'][]) => (items as MediaItem[]).map((m): Item => (
  { ...m, url: m.mediaId ? undefined : m.url, type: m.type ?? 'image', name: m.url ?? '', altText: m.altText ?? '' }))

// moved returns all with the one at a place at another.
export function moved<T>(all: T[], from: number, to: number): T[] {
  const next = [...all]
  next.splice(to, 0, ...next.splice(from, 1))
  return next
}

export type Fields = Schemas['PostFields']

const chosen = (w: Writing, accounts: AccountsById) => w.accounts.flatMap((id) => accounts.get(id) ?? [])

// brandOf is the brand that all of the accounts are in.
export function brandOf(w: Writing, accounts: AccountsById): string | undefined {
  const brands = new Set(chosen(w, accounts).map((a) => a.brandId))
  return brands.size === 1 ? ([...brands][0] ?? undefined) : undefined
}

// fieldsOf are an entry's contents as the API takes them of a post; the settings are the first entry's.
export function fieldsOf(w: Writing, entry: Entry, accounts: AccountsById): Fields {
  const brandId = brandOf(w, accounts)
  return {
    content: entry.text,
    platforms: chosen(w, accounts).map((a) => ({ platform: a.platform, accountId: a.id, ...(entry.own[a.id] !== undefined ? { content: entry.own[a.id] } : {}) })),
    mediaItems: entry.media.map(mediaOf),
    firstComments: written(entry).map((text) => ({ text })),
    platformSettings: entry === w.entries[0] ? settingsOf(w, accounts) : {},
    ...(brandId ? { brandId } : {}),
  }
}

// threadOf are a thread's contents as the API takes them.
export function threadOf(w: Writing, accounts: AccountsById) {
  const all = chosen(w, accounts)
  const brandId = brandOf(w, accounts)
  return {
    posts: w.entries.map((e) => ({
      content: e.text, mediaItems: e.media.map(mediaOf),
      platformContent: Object.fromEntries(voices(w, accounts).flatMap((a): [PlatformName, string][] => { const text = e.own[a.id]; return text === undefined ? [] : [[a.platform, text]] })),
    })),
    platforms: all.map((a) => ({ platform: a.platform, accountId: a.id }) as Schemas['ThreadTarget']),
    firstComments: w.entries.flatMap((e, target) => written(e).map((text) => ({ target, text }))),
    platformSettings: settingsOf(w, accounts),
    ...(brandId ? { brandId } : {}),
  }
}

// voices are the accounts that can have a text of their own: in a thread, one for each platform.
export function voices(w: Writing, accounts: AccountsById) {
  const all = chosen(w, accounts)
  return isThread(w) ? all.filter((a, i) => all.findIndex((b) => b.platform === a.platform) === i) : all
}

// misfits are the accounts of a thread whose platforms take none.
export const misfits = (w: Writing, accounts: AccountsById) => (isThread(w) ? voices(w, accounts).filter((a) => !threaded.includes(a.platform)) : [])

// hasRoom tells whether no entry has more media than it can have; what a post can have the API says.
export const hasRoom = (w: Writing) => !isThread(w) || w.entries.every((e) => e.media.length <= 1)

// written are an entry's comments that say something.
export const written = (entry: Entry) => entry.comments.filter((c) => c.trim())

const mediaOf = ({ name: _, type, mediaId, url, altText, fit, ...more }: Item) => ({
  ...more, ...(mediaId ? { mediaId } : { url, type }), ...(altText ? { altText } : {}), ...(fit && fit !== 'none' ? { fit } : {}),
}) as Schemas['MediaItem']

function settingsOf(w: Writing, accounts: AccountsById): Schemas['PlatformSettings'] {
  const platforms = new Set(chosen(w, accounts).map((a) => a.platform))
  return Object.fromEntries([...platforms].flatMap((p) => {
    const group = told(w.settings[p] ?? {}) as Group
    return Object.keys(group).length > 0 ? [[p, group]] : []
  }))
}

// told leaves out what was not filled in.
function told(value: Value): Value {
  if (Array.isArray(value)) return value.map(told).filter((v) => v !== undefined)
  if (typeof value !== 'object') return value === '' ? undefined : value
  return Object.fromEntries(Object.entries(value).flatMap(([name, v]) => (told(v) === undefined ? [] : [[name, told(v)]])))
}

// timesOf say when it goes out, as a creation does.
export function timesOf(w: Writing) {
  switch (w.when) {
    case 'now': return { publishNow: true }
    case 'queue': return { queue: true, ...(w.queueId ? { queueId: w.queueId } : {}) }
    case 'draft': return { status: 'draft' as const }
    case 'at': return { scheduledFor: w.at, timezone: zone() }
  }
}

// changedTimesOf say when a post that exists goes out. One that keeps its time keeps its seconds and its queue too.
export function changedTimesOf(w: Writing, post: Post) {
  const isSame = w.when === 'at' && post.scheduledFor !== undefined && w.at === wallTime(new Date(post.scheduledFor))
  return { ...(isSame ? {} : timesOf(w)), ...(w.when === 'at' && post.status === 'draft' ? { status: 'scheduled' as const } : {}) }
}
