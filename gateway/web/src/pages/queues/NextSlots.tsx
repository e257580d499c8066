import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { slotsOf } from '../../api/queries'
import { useMay } from '../../api/session'
import { zone } from '../../parts/dates'
import { Listing } from '../../parts/Listing'
import { Empty } from '../../parts/Page'
import { useWords } from '../../words'
import { placesOf, searchOf } from '../calendar/slots'
import type { Queue } from './week'

// most is how many places are shown.
const most = 8

// NextSlots are the next places that a post would get, in the reader's zone and the queue's.
export function NextSlots({ queue }: { queue: Queue }) {
  const { t, time } = useWords()
  const mayPost = useMay('author')
  const next = useQuery(slotsOf(queue.id))
  const isElsewhere = queue.timezone !== zone()
  return (
    <section className="card" aria-label={t('queues.next')}>
      <header><h2>{t('queues.next')}</h2></header>
      <Listing query={next} items={next.data && placesOf(queue, next.data).slice(0, most)} empty={<Empty icon="clock" title={t('queues.full')} />}>
        {(place) => (
          <li key={place.at}>
            <div className="grow">
              <p className="strong">{time.day(place.at)}, {time.clock(place.at)}</p>
              {isElsewhere && <p className="small muted breaks">{t('post.zone', { time: time.in(queue.timezone)(place.at), zone: queue.timezone })}</p>}
            </div>
            {mayPost && <Link className="btn low" to="/compose" search={searchOf(place)}>{t('queues.write')}</Link>}
          </li>
        )}
      </Listing>
    </section>
  )
}
