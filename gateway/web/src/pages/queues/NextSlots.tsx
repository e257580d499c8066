import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, ask } from '../../api/client'
import { useMay } from '../../api/session'
import { wallTime, zone } from '../../parts/dates'
import { Listing } from '../../parts/Listing'
import { Empty } from '../../parts/Page'
import { useWords } from '../../words'
import type { Queue } from './week'

// NextSlots are the next places that a post would get, in the reader's zone and the queue's.
export function NextSlots({ queue }: { queue: Queue }) {
  const { t, time } = useWords()
  const mayPost = useMay('author')
  const next = useQuery({
    queryKey: ['queues', queue.id, 'slots', queue.updatedAt],
    queryFn: async () => (await ask(api.GET('/queues/{id}/slots', { params: { path: { id: queue.id }, query: { limit: 8 } } }))).slots,
  })
  const isElsewhere = queue.timezone !== zone()
  return (
    <section className="card" aria-label={t('queues.next')}>
      <header><h2>{t('queues.next')}</h2></header>
      <Listing query={next} items={next.data} empty={<Empty icon="clock" title={t('queues.full')} />}>
        {(at) => (
          <li key={at}>
            <div className="grow">
              <p className="strong">{time.day(at)}, {time.clock(at)}</p>
              {isElsewhere && <p className="small muted">{t('post.zone', { time: time.in(queue.timezone)(at), zone: queue.timezone })}</p>}
            </div>
            {mayPost && <Link className="btn low" to="/compose" search={{ at: wallTime(new Date(at)) }}>{t('queues.write')}</Link>}
          </li>
        )}
      </Listing>
    </section>
  )
}
