import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { queues } from '../../api/queries'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { useWords } from '../../words'
import { QueueEditor } from './QueueEditor'

// QueuePage changes a queue, or makes one.
export function QueuePage() {
  const { t } = useWords()
  const { id } = useParams({ from: '/queues/$id' })
  const all = useQuery(queues)
  if (id === 'new') return <QueueEditor key={id} />
  const queue = all.data?.find((q) => q.id === id)
  if (queue) return <QueueEditor key={id} queue={queue} />
  return (
    <Page name={t('nav.queues')} title={t('nav.queues')}>
      {all.error ? <Problem error={all.error} retry={() => void all.refetch()} /> : (
        <div className="card">
          {all.isPending ? <Waiting /> : <Empty icon="clock" title={t('queues.gone')} action={<Link className="btn" to="/queues">{t('nav.queues')}</Link>} />}
        </div>
      )}
    </Page>
  )
}
