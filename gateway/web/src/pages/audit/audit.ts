import { api, ask, Refusal, type Schemas } from '../../api/client'
import { addDays, dayOf } from '../../parts/dates'
import type { AuditSearch } from '../../router'
import { known, type Say } from '../../words'

// queryOf is what the API is asked for by an address: moments instead of days, of which the last one counts.
export function queryOf({ from, to, ...rest }: AuditSearch) {
  return {
    ...rest,
    from: from && dayOf(from).toISOString(),
    to: to && addDays(dayOf(to), 1).toISOString(),
  }
}

// readPage reads rows, and the posts that they are about: the log has their ids alone.
export async function readPage(search: AuditSearch, cursor: string | undefined) {
  const page = await ask(api.GET('/audit', { params: { query: { ...queryOf(search), limit: 50, cursor } } }))
  const ids = [...new Set(page.records.flatMap(({ subject }) => (subject.type === 'post' && subject.id ? [subject.id] : [])))]
  const posts = ids.length > 0 ? await textsOf(ids) : []
  return { ...page, posts }
}

// textsOf reads posts. Where that is refused the log is shown without: it says the ids. What else fails is tried again,
// with the page.
async function textsOf(ids: string[]) {
  try {
    return (await ask(api.POST('/posts/lookup', { body: { ids } }))).posts
  } catch (error) {
    if (error instanceof Refusal && !error.isOfAnotherScope) return []
    throw error
  }
}

// formats are those of an export.
export const formats = ['csv', 'ndjson'] as const

// saveExport has the browser keep the same rows as a file. It is no link to them, which would not say which workspace
// the page shows.
export async function saveExport(search: AuditSearch, format: (typeof formats)[number]) {
  const query = { ...queryOf(search), format }
  const rows = await ask(api.GET('/audit/export', { params: { query }, parseAs: 'blob' }))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(rows)
  link.download = `audit.${format}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000) // the browser may still be asking where to
}

export type Actor = Schemas['AuditRecord']['actor']

// kinds are who may have done something.
export const kinds = ['user', 'key', 'device', 'command', 'visitor', 'system'] as const

// actions are the first parts of what is done.
export const actions = ['account', 'brand', 'deletion', 'device', 'invitation', 'key', 'media', 'member', 'monitor', 'post', 'queue', 'reply', 'webhook', 'workspace'] as const

// deedOf says an action in words, such as "created queue"; one without words is said as the API names it.
export function deedOf(action: string, t: Say): string {
  const [what, deed] = action.split('.')
  const [one, did] = [known(`audit.one.${what}`), known(`audit.did.${deed}`)]
  return one && did ? t(did, { what: t(one) }) : action
}
