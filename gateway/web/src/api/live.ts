import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, ask, type Post } from './client'
import { everybodys, page, pulse, type Range } from './queries'

// useLivePosts asks every few seconds which posts have changed: one small request stands for all views.
export function useLivePosts() {
  const client = useQueryClient()
  const seen = useRef(new Set<string>())
  const { data } = useQuery({
    queryKey: ['changes'],
    queryFn: () => {
      const updatedAfter = new Date(Date.now() - 60_000).toISOString()
      return ask(api.GET('/posts', { params: { query: { ...everybodys, updatedAfter, limit: page } } }))
    },
    refetchInterval: pulse,
  })
  useEffect(() => {
    if (data === undefined) return
    const hasChanged = data.posts.some((p) => !seen.current.has(p.id + p.updatedAt))
    seen.current = new Set(data.posts.map((p) => p.id + p.updatedAt))
    // Only where a range does not tell what it has now it is read again: thousands of posts are not for one of them.
    const isMerged = (range: unknown) => typeof range === 'object' && !(range as Range).q && !data.pagination.hasMore
    if (hasChanged) void client.invalidateQueries({ queryKey: ['posts'], predicate: (query) => !isMerged(query.queryKey[1]) })
    for (const [key, posts] of client.getQueriesData<Post[]>({ queryKey: ['posts'], predicate: (query) => isMerged(query.queryKey[1]) })) {
      const next = posts && merged(posts, data.posts, key[1] as Range)
      if (next !== posts) client.setQueryData(key, next) // what is the same stays as old as it is
    }
  }, [client, data])
}

// merged are the posts of a range with what is newer of the recent ones. The recent ones stay for a minute, so
// that a range that is being read meanwhile gets them too.
function merged(posts: Post[], recent: Post[], range: Range): Post[] {
  const known = new Map(posts.map((p) => [p.id, p.updatedAt]))
  const newer = recent.filter((p) => { const before = known.get(p.id); return before === undefined ? isIn(range, p) : p.updatedAt > before })
  if (newer.length === 0) return posts
  const ids = new Set(newer.map((p) => p.id))
  return [...posts.filter((p) => !ids.has(p.id)), ...newer.filter((p) => isIn(range, p))].sort((a, b) => timeOf(a) - timeOf(b))
}

const timeOf = (post: Post) => (post.scheduledFor ? Date.parse(post.scheduledFor) : Number.MAX_SAFE_INTEGER)

function isIn({ after, before, status }: Range, post: Post): boolean {
  return (!status || post.status === status) && (!after || timeOf(post) >= Date.parse(after)) && (!before || timeOf(post) <= Date.parse(before))
}
