import { useQuery } from '@tanstack/react-query'
import { postsOf } from '../../api/queries'

// utcDay is the UTC day of a moment, from its first millisecond to its last.
function utcDay(at: Date) {
  const day = at.toISOString().slice(0, 10)
  return { after: `${day}T00:00:00.000Z`, before: `${day}T23:59:59.999Z` }
}

// useToday counts by account the posts of this UTC day, as the API counts them against an account's daily limit.
export function useToday(): ReadonlyMap<string, number> | undefined {
  const { data } = useQuery(postsOf(utcDay(new Date())))
  if (!data) return undefined
  const counts = new Map<string, number>()
  for (const target of data.filter((p) => p.status !== 'draft').flatMap((p) => p.platforms)) {
    if (target.status !== 'cancelled') counts.set(target.accountId, (counts.get(target.accountId) ?? 0) + 1)
  }
  return counts
}
