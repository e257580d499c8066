import type { MediaItem, Post, Schemas } from '../../api/client'
import type { AccountsById } from '../../api/queries'
import { wallTime, zone } from '../../parts/dates'

export type When = 'now' | 'at' | 'queue' | 'draft'

export type Item = { mediaId?: string; url?: string; type: 'image' | 'video' | 'pdf'; name: string; altText: string; fit?: 'none' | 'contain' | 'cover' }

// Writing is a post while it is written.
export type Writing = {
  accounts: string[] // their ids, in the order of choosing
  text: string
  own: Record<string, string> // texts that accounts have of their own, by their ids
  media: Item[]
  firstComment: string
  when: When
  at: string // wall time in the reader's zone, as inputs have it
  queueId: string
}

// offeredTimes are the ways to give a post its time: authors make drafts alone, and a post that exists keeps
// to a time of its own.
export function offeredTimes(mayPublish: boolean, edited: Post | undefined): When[] {
  if (!mayPublish) return ['draft']
  if (!edited) return ['now', 'at', 'queue', 'draft']
  return edited.status === 'draft' ? ['at', 'draft'] : ['at']
}

export function blank(at?: string): Writing {
  const start = at ? new Date(at) : new Date(Math.ceil(Date.now() / 3_600_000 + 0.25) * 3_600_000)
  return { accounts: [], text: '', own: {}, media: [], firstComment: '', when: 'at', at: wallTime(start), queueId: '' }
}

// ofPost is the writing that made a post, for a change or a copy.
export function ofPost(post: Post): Writing {
  const own = post.platforms.flatMap((p) => (p.contentOverride !== undefined ? [[p.accountId, p.contentOverride]] : []))
  return {
    ...blank(post.scheduledFor && new Date(post.scheduledFor) > new Date() ? post.scheduledFor : undefined),
    accounts: post.platforms.map((p) => p.accountId), text: post.content, own: Object.fromEntries(own),
    media: (post.mediaItems as MediaItem[]).map((m): Item => ({ mediaId: m.mediaId, url: m.mediaId ? undefined : m.url, type: m.type ?? 'image', name: m.url ?? '', altText: m.altText ?? '', fit: m.fit })),
    firstComment: post.firstComments[0]?.text ?? '', when: post.status === 'draft' ? 'draft' : 'at',
  }
}

export type Fields = Schemas['PostFields']

// fieldsOf are a writing's contents as the API takes them.
export function fieldsOf(w: Writing, accounts: AccountsById): Fields {
  const chosen = w.accounts.flatMap((id) => accounts.get(id) ?? [])
  return {
    content: w.text,
    platforms: chosen.map((a) => ({ platform: a.platform, accountId: a.id, ...(w.own[a.id] !== undefined ? { content: w.own[a.id] } : {}) })),
    mediaItems: w.media.map((m) => ({
      ...(m.mediaId ? { mediaId: m.mediaId } : { url: m.url, type: m.type }),
      ...(m.altText ? { altText: m.altText } : {}), ...(m.fit && m.fit !== 'none' ? { fit: m.fit } : {}),
    })) as Fields['mediaItems'],
    ...(w.firstComment.trim() ? { firstComment: w.firstComment } : {}),
  }
}

// timesOf say when it goes out.
export function timesOf(w: Writing): Partial<Schemas['PostCreate']> {
  switch (w.when) {
    case 'now': return { publishNow: true }
    case 'queue': return { queue: true, ...(w.queueId ? { queueId: w.queueId } : {}) }
    case 'draft': return { status: 'draft' }
    case 'at': return { scheduledFor: w.at, timezone: zone() }
  }
}
