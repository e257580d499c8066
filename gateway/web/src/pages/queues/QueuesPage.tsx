import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { brands, queues } from '../../api/queries'
import { useMay } from '../../api/session'
import { Icon } from '../../parts/Icon'
import { Listing } from '../../parts/Listing'
import { Empty, Page } from '../../parts/Page'
import { useWords } from '../../words'
import { dayName, days, type Queue } from './week'

export function QueuesPage() {
  const { t } = useWords()
  const all = useQuery(queues)
  const named = useQuery(brands)
  const make = useMay('editor') && <Link className="btn main" to="/queues/$id" params={{ id: 'new' }}><Icon name="plus" /> {t('queues.new')}</Link>
  return (
    <Page name={t('nav.queues')} title={t('nav.queues')} about={t('queues.about')} actions={make}>
      <div className="card">
        <Listing query={all} items={all.data} empty={<Empty icon="clock" title={t('queues.none')} action={make}>{t('queues.noneAbout')}</Empty>}>
          {(queue) => <Row key={queue.id} queue={queue} brand={named.data?.find((b) => b.id === queue.brandId)?.name} />}
        </Listing>
      </div>
    </Page>
  )
}

function Row({ queue, brand }: { queue: Queue; brand?: string }) {
  const { t, time } = useWords()
  const used = days.filter((day) => queue.slots.some((s) => s.day === day))
  return (
    <li className="link">
      <Icon name="clock" />
      <Link className="cover grow" to="/queues/$id" params={{ id: queue.id }}>
        <p className="row"><span className="strong clip">{queue.name}</span>{queue.isDefault && <span className="pill good">{t('queues.default')}</span>}{brand && <span className="pill">{brand}</span>}</p>
        <p className="small muted clip">{t('queues.times', { n: queue.slots.length })} · {used.map((day) => dayName(day, time.locale)).join(', ')} · {queue.timezone}</p>
      </Link>
      <Icon name="right" />
    </li>
  )
}
