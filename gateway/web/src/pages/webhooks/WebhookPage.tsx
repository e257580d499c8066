import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask, type Delivery } from '../../api/client'
import { pulse, webhooks } from '../../api/queries'
import { Icon } from '../../parts/Icon'
import { Listing, More } from '../../parts/Listing'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { StatusShape } from '../../parts/Status'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { nameOf, postOf, type Event } from '../events/events'
import { Actions } from './Actions'
import { Standing } from './WebhooksPage'

export function WebhookPage() {
  const { t } = useWords()
  const { id } = useParams({ from: '/webhooks/$id' })
  const all = useQuery(webhooks)
  const webhook = all.data?.find((w) => w.id === id)
  if (all.error) return <Page name={t('nav.webhooks')} title={t('nav.webhooks')}><Problem error={all.error} /></Page>
  if (all.isPending) return <Page name={t('nav.webhooks')} title={t('nav.webhooks')}><div className="card"><Waiting /></div></Page>
  if (!webhook) return <Page name={t('nav.webhooks')} title={t('nav.webhooks')}><div className="card"><Empty icon="hook" title={t('webhooks.gone')} /></div></Page>
  return (
    <Page
      name={t('nav.webhooks')} title={<span className="row wrap" style={{ overflowWrap: 'anywhere' }}>{webhook.url} <Standing webhook={webhook} /></span>}
      about={<>{webhook.disabledAt && <>{t('webhooks.disabledAbout', { n: webhook.consecutiveFailures })}<br /></>}{t('webhooks.events', { n: webhook.events.length })}: {webhook.events.join(', ')}</>} actions={<Actions webhook={webhook} />}
    >
      <section className="card" aria-label={t('webhooks.deliveries')}>
        <header><h2>{t('webhooks.deliveries')}</h2><span className="small muted">{t('webhooks.testsApart')}</span></header>
        <Deliveries id={id} />
      </section>
    </Page>
  )
}

function Deliveries({ id }: { id: string }) {
  const { t } = useWords()
  const pages = useInfiniteQuery({
    queryKey: ['deliveries', id],
    queryFn: async ({ pageParam }) => ask(api.GET('/webhooks/{id}/deliveries', { params: { path: { id }, query: { limit: 25, cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    refetchInterval: pulse,
  })
  return (
    <>
      <Listing query={pages} items={pages.data?.pages.flatMap((p) => p.deliveries)} empty={<Empty icon="clock" title={t('webhooks.noDeliveries')}>{t('webhooks.noDeliveriesAbout')}</Empty>}>
        {(d) => <Row key={d.id} webhook={id} delivery={d} />}
      </Listing>
      <More of={pages} />
    </>
  )
}

function Row({ webhook, delivery }: { webhook: string; delivery: Delivery }) {
  const { t, time } = useWords()
  const client = useQueryClient()
  const { show, fail } = useToast()
  const [isOpen, setOpen] = useState(false)
  const path = { id: webhook, deliveryId: delivery.id }
  const again = async () => {
    await ask(api.POST('/webhooks/{id}/deliveries/{deliveryId}/redeliver', { params: { path } }))
    await client.invalidateQueries({ queryKey: ['deliveries', webhook] })
    show({ tone: 'good', text: t('webhooks.sentAgain') })
  }
  const said = delivery.error ?? (delivery.responseCode ? t('webhooks.answered', { code: delivery.responseCode, ms: delivery.responseTimeMs ?? 0 }) : t('webhooks.waiting'))
  return (
    <li style={{ flexWrap: 'wrap' }}>
      <StatusShape status={delivery.status} />
      <div className="grow">
        <p className="row"><code className="strong">{delivery.event}</code>{delivery.redeliveryOf && <span className="pill">{t('webhooks.again')}</span>}</p>
        <p className="small muted clip">{time.full(delivery.queuedAt)} · {said}{delivery.retryCount > 0 && ` · ${t('webhooks.retries', { n: delivery.retryCount })}`}</p>
      </div>
      <div className="row">
        <button className="btn bare low" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{t('webhooks.body')}</button>
        <button className="btn low" onClick={() => void again().catch(fail)}><Icon name="retry" size={14} /> {t('webhooks.sendAgain')}</button>
      </div>
      {isOpen && <Body webhook={webhook} delivery={delivery} />}
    </li>
  )
}

function Body({ webhook, delivery }: { webhook: string; delivery: Delivery }) {
  const { t } = useWords()
  const body = useQuery({
    queryKey: ['delivery', delivery.id],
    queryFn: async () => (await ask(api.GET('/webhooks/{id}/deliveries/{deliveryId}', { params: { path: { id: webhook, deliveryId: delivery.id } } }))).delivery,
  })
  if (body.isPending) return null
  if (body.error) return <Problem error={body.error} />
  const event = body.data.body as Event
  const post = postOf(event)
  return (
    <div className="stack" style={{ width: '100%' }}>
      {post && <p className="small clip"><Link to="/posts/$id" params={{ id: post }}>{nameOf(event) || t('post.name')}</Link></p>}
      <pre className="body-json" tabIndex={0} aria-label={t('webhooks.body')}>{JSON.stringify(body.data.body, null, 2)}</pre>
      {body.data.response && <pre className="body-json" tabIndex={0} aria-label={t('webhooks.response')}>{body.data.response}</pre>}
    </div>
  )
}
