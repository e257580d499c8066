import { addDays, dayOf } from '../../parts/dates'
import type { AuditSearch } from '../../router'

// queryOf is what the API is asked for by an address: moments instead of days, of which the last one counts.
export function queryOf({ from, to, ...rest }: AuditSearch) {
  return {
    ...rest,
    from: from && dayOf(from).toISOString(),
    to: to && addDays(dayOf(to), 1).toISOString(),
  }
}

// exportPath is where the browser fetches the same rows as a file.
export function exportPath(search: AuditSearch, format: 'csv' | 'ndjson'): string {
  const query = new URLSearchParams({ format })
  for (const [name, value] of Object.entries(queryOf(search))) if (value) query.set(name, value)
  return `/api/v1/audit/export?${query}`
}

// kinds are who may have done something.
export const kinds = ['user', 'key', 'device', 'command', 'visitor', 'system'] as const

// actions are the first parts of what is done.
export const actions = ['account', 'brand', 'deletion', 'device', 'invitation', 'key', 'media', 'member', 'monitor', 'post', 'queue', 'reply', 'webhook', 'workspace'] as const
