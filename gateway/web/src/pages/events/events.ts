import { api, ask, type Schemas } from '../../api/client'

const readPage = async (after: string) => ask(api.GET('/events', { params: { query: { after, limit: 100 } } }))

export type Event = Awaited<ReturnType<typeof readPage>>['events'][number]

export const spans = ['hour', 'day', 'week'] as const
export type Span = (typeof spans)[number]

const hour = 3600 * 1000
const lengths: Record<Span, number> = { hour, day: 24 * hour, week: 7 * 24 * hour }

// most is how many events are shown, of which a busy workspace has more than anybody reads.
const most = 500

const digits = '0123456789abcdefghjkmnpqrstvwxyz'

// idAt is the least id that an event of a time may have: the API goes on after it as after any it does not know.
export function idAt(at: Date): string {
  let rest = at.getTime()
  let id = ''
  for (let n = 0; n < 10; n++) {
    id = digits[rest % 32] + id
    rest = Math.floor(rest / 32)
  }
  return `evt_${id}${'0'.repeat(16)}`
}

// readEvents reads the events of a span that ends now, and returns the newest first.
export async function readEvents(span: Span): Promise<{ events: Event[]; isCut: boolean }> {
  const begin = new Date(Date.now() - lengths[span])
  let events: Event[] = []
  let isCut = false
  for (let after: string | null = idAt(begin); after;) {
    const answer = await readPage(after)
    events = [...events, ...answer.events]
    isCut ||= events.length > most
    events = events.slice(-most)
    after = answer.hasMore ? answer.nextCursor : null
  }
  const from = begin.toISOString() // what was slow to be recorded may be older
  return { events: events.filter((e) => e.createdAt >= from).reverse(), isCut }
}

// Data is what events are about, each one of these or none.
type Data = { post?: Schemas['EventPost']; thread?: Schemas['EventThread']; account?: Schemas['EventAccount']; webhook?: Schemas['EventWebhook'] }

const dataOf = (event: Event) => event.data as Data

// postOf is the id of the post that an event is about.
export function postOf(event: Event): string | undefined {
  const { post, thread } = dataOf(event)
  return post?.id ?? thread?.postId
}

// nameOf is what people know an event by.
export function nameOf(event: Event): string | undefined {
  const { post, thread, account, webhook } = dataOf(event)
  return post?.content ?? thread?.entries[0]?.content ?? account?.name ?? webhook?.host
}
