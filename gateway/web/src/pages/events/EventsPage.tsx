import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { pulse } from '../../api/queries'
import { Icon } from '../../parts/Icon'
import { Listing } from '../../parts/Listing'
import { Empty, Page } from '../../parts/Page'
import { useWords } from '../../words'
import { nameOf, postOf, readEvents, spans, type Event, type Span } from './events'

// EventsPage shows what happened lately, as webhooks deliver it.
export function EventsPage() {
  const { t } = useWords()
  const [span, setSpan] = useState<Span>('day')
  const all = useQuery({ queryKey: ['events', span], queryFn: () => readEvents(span), refetchInterval: 5 * pulse })
  return (
    <Page
      name={t('nav.events')} title={t('nav.events')} about={t('events.about')}
      actions={
        <div className="tabs" role="group" aria-label={t('events.span')}>
          {spans.map((s) => <button key={s} aria-pressed={s === span} onClick={() => setSpan(s)}>{t(`events.${s}`)}</button>)}
        </div>
      }
    >
      <div className="card">
        <Listing query={all} items={all.data?.events} rows={6} empty={<Empty icon="pulse" title={t('events.none')}>{t('events.noneAbout')}</Empty>}>
          {(event) => <Row key={event.id} event={event} />}
        </Listing>
        {all.data?.isCut && <p className="body small muted">{t('events.cut')}</p>}
      </div>
    </Page>
  )
}

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
