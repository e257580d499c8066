import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '../../api/client'
import { webhooks } from '../../api/queries'
import { useMay } from '../../api/session'
import { Icon } from '../../parts/Icon'
import { Listing } from '../../parts/Listing'
import { Empty, Page } from '../../parts/Page'
import { useWords } from '../../words'
import { Writing } from './Writing'

export function WebhooksPage() {
  const { t } = useWords()
  const all = useQuery(webhooks)
  const [isMaking, setMaking] = useState(false)
  const mayMake = useMay('admin')
  const make = mayMake && <button className="btn main" onClick={() => setMaking(true)}><Icon name="plus" /> {t('webhooks.new')}</button>
  return (
    <Page name={t('nav.webhooks')} title={t('nav.webhooks')} about={t('webhooks.about')} actions={make}>
      <div className="card">
        <Listing query={all} items={all.data} rows={2} empty={<Empty icon="hook" title={t('webhooks.none')} action={make}>{t('webhooks.noneAbout')}</Empty>}>
          {(w) => <Row key={w.id} webhook={w} />}
        </Listing>
      </div>
      {isMaking && <Writing close={() => setMaking(false)} />}
    </Page>
  )
}

function Row({ webhook }: { webhook: Webhook }) {
  const { t, time } = useWords()
  return (
    <li className="link">
      <Icon name="hook" />
      <Link className="cover grow" to="/webhooks/$id" params={{ id: webhook.id }}>
        <p className="strong clip">{webhook.url}</p>
        <p className="small muted clip" title={webhook.events.join(', ')}>
          {t('webhooks.events', { n: webhook.events.length })} · {webhook.lastDeliveredAt ? t('webhooks.last', { time: time.full(webhook.lastDeliveredAt) }) : t('webhooks.never')}
        </p>
      </Link>
      <Standing webhook={webhook} />
    </li>
  )
}

export function Standing({ webhook }: { webhook: Webhook }) {
  const { t } = useWords()
  if (webhook.disabledAt) return <span className="pill bad">{t('webhooks.disabled')}</span>
  if (!webhook.isActive) return <span className="pill">{t('webhooks.off')}</span>
  if (webhook.consecutiveFailures > 0) return <span className="pill warn">{t('webhooks.failing', { n: webhook.consecutiveFailures })}</span>
  return <span className="pill good">{t('webhooks.on')}</span>
}
