import { api, ask, type Schemas } from '../../api/client'
import { page } from '../../api/queries'

const readPage = async (after: string) => ask(api.GET('/events', { params: { query: { after, limit: page } } }))

export type Event = Awaited<ReturnType<typeof readPage>>['events'][number]

// enough is how many events are shown at a time, at least where there are as many; a page of the API holds more.
const enough = 40

const minute = 60 * 1000

// mostLate is more than the API goes back behind a time, as some events are recorded late, in milliseconds.
const mostLate = 2 * minute
const longest = 64 * 24 * 60 * minute // longer than events are kept, in milliseconds

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

type Part = { events: Event[]; next: string; isWhole: boolean }

// readPart reads a page of what was recorded after an event. It is whole where it reaches what is shown, or the end.
async function readPart(after: string, shown: Set<string>): Promise<Part> {
  const { events, hasMore, nextCursor } = await readPage(after)
  const end = events.findIndex((e) => shown.has(e.id))
  return { events: end < 0 ? events : events.slice(0, end), next: nextCursor ?? '', isWhole: end >= 0 || !hasMore }
}

// readBefore reads the last events before those that are shown, newest first. The API reads forward alone, so what is
// looked for is a time after which there is about a page of them: by longer and longer steps back, and then between two.
export async function readBefore(shown: Set<string>): Promise<{ events: Event[]; hasMore: boolean }> {
  const end = Date.now() + mostLate
  let found: Event[] = []
  let few = end // since when they are found
  let many = 0 // since when there are more than a page of them; 0: no such time is known
  for (let step = minute; found.length < enough; step *= 4) {
    const from = many ? Math.floor((few + many) / 2) : end - step
    if (from === many || (!many && step > longest)) break
    const part = await readPart(idAt(new Date(from)), shown)
    if (!part.isWhole) many = from
    else [few, found] = [from, part.events]
  }
  if (found.length === 0 && many) found = await readOn(idAt(new Date(many)), shown)
  return { events: found.reverse(), hasMore: many > 0 || found.length >= enough }
}

// readOn reads on after an event until what is shown, and returns the last page of it: thousands may be of one moment.
async function readOn(after: string, shown: Set<string>): Promise<Event[]> {
  const part = await readPart(after, shown)
  const events = part.isWhole ? part.events : [...part.events, ...(await readOn(part.next, shown))]
  return events.slice(-page)
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
