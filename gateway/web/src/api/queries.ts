import { keepPreviousData, queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { failedTargets, standing } from '../parts/post'
import { api, ask, type Account, type Attempt, type Key, type Post, type Schemas, type Webhook } from './client'
import { useDismissed } from './dismissed'
import { useMay } from './session'

// pulse is how often what may have changed is asked for, in milliseconds.
export const pulse = 4000

type PostStatus = Post['status']

// page is the most that the API answers at once.
export const page = 100

// everybodys are posts whoever made them, not those of programs alone.
export const everybodys = { source: 'all' } as const

// mostPosts bounds what one view reads: with more, a calendar shows nothing any more.
const mostPosts = 10_000

export type Range = { after?: string; before?: string; q?: string; status?: PostStatus }

// readPosts reads all posts of a range; of many it tells meanwhile what there is so far, seldom enough that
// drawing them costs little.
async function readPosts(range: Range, tell?: (some: Post[]) => void): Promise<Post[]> {
  const posts: Post[] = []
  let cursor: string | undefined
  let next = page
  do {
    const query = { ...range, ...everybodys, limit: page, cursor, ...(range.q ? {} : { sort: 'scheduledFor' as const }) }
    const answer = await ask(api.GET('/posts', { params: { query } }))
    posts.push(...answer.posts)
    cursor = answer.pagination.nextCursor
    if (cursor && posts.length >= next) {
      tell?.([...posts])
      next *= 4
    }
  } while (cursor && posts.length < mostPosts)
  return posts
}

export const postsOf = (range: Range) =>
  queryOptions({
    queryKey: ['posts', range],
    queryFn: ({ client, queryKey }) => {
      const isFirst = client.getQueryData(queryKey) === undefined
      return readPosts(range, isFirst ? (some) => client.setQueryData(queryKey, some) : undefined)
    },
    placeholderData: keepPreviousData, staleTime: 15_000,
  })

export const postOf = (id: string) =>
  queryOptions({ queryKey: ['post', id], queryFn: async () => (await ask(api.GET('/posts/{id}', { params: { path: { id } } }))).post })

// readAttempts reads the whole timeline, as its end is what matters most.
async function readAttempts(id: string): Promise<Attempt[]> {
  const attempts: Attempt[] = []
  for (let number = 1; ; number++) {
    const answer = await ask(api.GET('/posts/{id}/attempts', { params: { path: { id }, query: { limit: page, page: number } } }))
    attempts.push(...answer.attempts)
    if (!answer.pagination.hasMore) return attempts
  }
}

export const attemptsOf = (id: string) => queryOptions({ queryKey: ['post', id, 'attempts'], queryFn: () => readAttempts(id) })

export const accounts = queryOptions({
  queryKey: ['accounts'],
  queryFn: async () => (await ask(api.GET('/accounts'))).accounts,
  staleTime: 30_000,
})

export const healths = queryOptions({
  queryKey: ['accounts', 'health'],
  queryFn: async () => (await ask(api.GET('/accounts/health'))).results,
  staleTime: 60_000,
})

// mediaOf is an upload, such as to show it; of what is none nothing is read.
export const mediaOf = (id: string | undefined) =>
  queryOptions({
    queryKey: ['media', id],
    queryFn: async () => (await ask(api.GET('/media/{id}', { params: { path: { id: id ?? '' } } }))).media,
    enabled: Boolean(id),
    staleTime: 300_000,
  })

export const ways = queryOptions({
  queryKey: ['ways'],
  queryFn: async () => (await ask(api.GET('/connect'))).platforms,
  staleTime: Infinity,
})

export const webhooks = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async () => (await ask(api.GET('/webhooks'))).webhooks,
  staleTime: 30_000,
})

export const keys = queryOptions({
  queryKey: ['keys'],
  queryFn: async () => (await ask(api.GET('/keys', { params: { query: { limit: 100 } } }))).keys,
})

export const queues = queryOptions({
  queryKey: ['queues'],
  queryFn: async () => (await ask(api.GET('/queues'))).queues,
  staleTime: 60_000,
})

export type BrandItem = Schemas['Brand']

export const brands = queryOptions({
  queryKey: ['brands'],
  queryFn: async () => (await ask(api.GET('/brands'))).brands,
  staleTime: 30_000,
})

// platformLimits are what posts are held to.
export const platformLimits = queryOptions({
  queryKey: ['platforms'],
  queryFn: async () => ask(api.GET('/platforms')),
  staleTime: Infinity,
})

export type AccountsById = ReadonlyMap<string, Account>

export type Brand = { name: string | null; accounts: Account[] }

// arranged has the accounts in the order of their names, also by their ids and by brand; those of none are last.
function arranged(accounts: Account[]) {
  const all = [...accounts].sort((a, b) => a.platform.localeCompare(b.platform) || a.name.localeCompare(b.name))
  const names = [...new Set(all.map((a) => a.brandName))].sort((a, b) => (a ?? '\uffff').localeCompare(b ?? '\uffff'))
  const brands: Brand[] = names.map((name) => ({ name, accounts: all.filter((a) => a.brandName === name) }))
  return { all, byId: new Map(all.map((a) => [a.id, a])) as AccountsById, brands }
}

const noAccounts = arranged([])

// useAccounts reads the accounts.
export function useAccounts() {
  const query = useQuery({ ...accounts, select: arranged })
  return { ...query, ...(query.data ?? noAccounts) }
}

// recently is how far back a failure still asks for a person, in milliseconds.
const recently = 14 * 24 * 3600 * 1000

export type Need =
  | { kind: 'failed' | 'unknown' | 'held'; id: string; post: Post }
  | { kind: 'account'; id: string; account: Account }
  | { kind: 'webhook'; id: string; webhook: Webhook }
  | { kind: 'key'; id: string; suspended: Key }

// dismissalOf names what somebody puts aside: a post that fails once more, or a webhook that is switched off again,
// is another. An account that has ended is none: its posts fail until it is connected again or disconnected.
export function dismissalOf(need: Need): string | undefined {
  switch (need.kind) {
    case 'account': return undefined
    case 'webhook': return `${need.id} ${need.webhook.disabledAt}`
    case 'key': return `${need.id} ${need.suspended.suspension?.since}`
    default: return `${need.id} ${need.post.updatedAt}`
  }
}

const needsOfPosts = queryOptions({
  queryKey: ['posts', 'needs'],
  queryFn: async () => {
    const after = new Date(Date.now() - recently).toISOString()
    const of = async (status: PostStatus, query = {}) =>
      (await ask(api.GET('/posts', { params: { query: { ...everybodys, status, after, limit: page, ...query } } }))).posts
    // In the order that a post goes through them: it is in one of them at least, and in the last as it is now.
    const waiting = await of('scheduled', { before: new Date().toISOString() })
    const going = await of('processing')
    const ended = (await Promise.all([of('failed'), of('partially_failed')])).flat()
    return [...new Map([...waiting, ...going, ...ended].map((post) => [post.id, post])).values()]
  },
  staleTime: 15_000,
})

function needOfPost(post: Post): Need[] {
  const kind = standing(post)
  if (kind === 'held' || kind === 'unknown') return [{ kind, id: post.id, post }]
  return failedTargets(post).length > 0 ? [{ kind: 'failed', id: post.id, post }] : []
}

const retryOf = (id: string) => ['retried', id]

// noteRetry keeps for a few minutes that a post is tried again because somebody here has asked for it.
export const noteRetry = (client: QueryClient, id: string) => client.setQueryData(retryOf(id), true)

type Needs = { needs: Need[]; dismissed: Need[]; retried: Post[]; isPending: boolean; error: Error | null }

// useNeeds collects what does not go on by itself, without what was dismissed, and the posts that are tried again
// since somebody asked for it.
export function useNeeds(): Needs {
  const client = useQueryClient()
  const { ids } = useDismissed()
  const isDismissed = (need: Need) => ids.has(dismissalOf(need) ?? '')
  const posts = useQuery(needsOfPosts)
  const recent = posts.data ?? []
  const isRetried = (post: Post) =>
    client.getQueryData(retryOf(post.id)) !== undefined && standing(post) !== 'held' && failedTargets(post).length === 0
  const { all, error, isPending } = useAccounts()
  const ofAdmins = { enabled: useMay('admin'), refetchInterval: 60_000 }
  const hooks = useQuery({ ...webhooks, ...ofAdmins })
  const { data: allKeys = [] } = useQuery({ ...keys, ...ofAdmins })
  const found: Need[] = [
    ...all.filter((a) => a.needsReconnect).map((account): Need => ({ kind: 'account', id: account.id, account })),
    ...recent.filter((post) => !isRetried(post)).flatMap(needOfPost),
    ...(hooks.data ?? []).filter((w) => w.disabledAt).map((webhook): Need => ({ kind: 'webhook', id: webhook.id, webhook })),
    ...allKeys.filter((k) => k.suspendedUntil).map((suspended): Need => ({ kind: 'key', id: suspended.id, suspended })),
  ]
  return {
    needs: found.filter((n) => !isDismissed(n)), dismissed: found.filter(isDismissed),
    retried: recent.filter(isRetried), isPending: posts.isPending || isPending, error: posts.error ?? error,
  }
}

// slotsOf are the next free places of a queue.
export const slotsOf = (id: string | undefined) =>
  queryOptions({
    queryKey: ['queues', id, 'slots'],
    queryFn: async () => (await ask(api.GET('/queues/{id}/slots', { params: { path: { id: id ?? '' }, query: { limit: page } } }))).slots,
    enabled: Boolean(id),
    staleTime: 15_000,
  })

// threadOf is the thread that a post carries; of a post that carries none nothing is read.
export const threadOf = (id: string | undefined) =>
  queryOptions({
    queryKey: ['thread', id],
    queryFn: async () => (await ask(api.GET('/threads/{id}', { params: { path: { id: id ?? '' } } }))).thread,
    enabled: Boolean(id),
  })
