import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { pulse } from '../../api/queries'
import { Icon } from '../../parts/Icon'
import { Listing, More } from '../../parts/Listing'
import { Empty, Page } from '../../parts/Page'
import { useWords } from '../../words'
import { nameOf, postOf, readBefore, type Event } from './events'

// EventsPage shows what happened lately, as webhooks deliver it.
export function EventsPage() {
  const { t } = useWords()
  const pages = useInfiniteQuery({
    queryKey: ['events'], queryFn: ({ pageParam }) => readBefore(pageParam),
    initialPageParam: new Set<string>(), getNextPageParam: (last, all) => (last.hasMore ? new Set(eventsOf(all).map((e) => e.id)) : undefined),
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? 5 * pulse : false),
  })
  return (
    <Page name={t('nav.events')} title={t('nav.events')} about={t('events.about')}>
      <div className="card">
        <Listing query={pages} items={pages.data && eventsOf(pages.data.pages)} rows={6} empty={<Empty icon="pulse" title={t('events.none')}>{t('events.noneAbout')}</Empty>}>
          {(event) => <Row key={event.id} event={event} />}
        </Listing>
        <More of={pages} />
      </div>
    </Page>
  )
}

const eventsOf = (pages: { events: Event[] }[]) => pages.flatMap((p) => p.events)

function Row({ event }: { event: Event }) {
  const { t, time } = useWords()
  const [isOpen, setOpen] = useState(false)
  const post = postOf(event)
  const name = nameOf(event)
  return (
    <li style={{ flexWrap: 'wrap' }}>
      <Icon name="pulse" />
      <div className="grow">
        <p className="row"><code className="strong">{event.event}</code> {post ? <Link className="clip small" to="/posts/$id" params={{ id: post }}>{name || t('post.name')}</Link> : <span className="clip small muted">{name}</span>}</p>
        <p className="small muted clip">{time.full(event.createdAt)} · {event.id}</p>
      </div>
      <button className="btn bare low" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{t('webhooks.body')}</button>
      {isOpen && <pre className="body-json" style={{ width: '100%' }} tabIndex={0} aria-label={t('webhooks.body')}>{JSON.stringify(event, null, 2)}</pre>}
    </li>
  )
}
