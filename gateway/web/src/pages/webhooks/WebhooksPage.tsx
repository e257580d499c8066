import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask, type Schemas, type Webhook } from '../../api/client'
import { webhooks } from '../../api/queries'
import { useMay } from '../../api/session'
import { Dialog } from '../../parts/Confirm'
import { Field, useSubmit } from '../../parts/Form'
import { Icon } from '../../parts/Icon'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { Secret } from '../../parts/Secret'
import { useWords } from '../../words'

type EventName = Schemas['EventName']

// offered are what webhooks can be told of: each event that the API has.
const offered: Record<EventName, true> = {
  'post.scheduled': true, 'post.published': true, 'post.failed': true, 'post.cancelled': true, 'post.updated': true,
  'thread.scheduled': true, 'thread.published': true, 'thread.partially_published': true, 'thread.failed': true,
  'account.connected': true, 'account.disconnected': true, 'account.error': true, 'account.token_expiring': true,
  'webhook.disabled': true, 'feed.matched': true, 'comment.received': true, 'mention.received': true,
}
const events = Object.keys(offered) as EventName[]

export function WebhooksPage() {
  const { t } = useWords()
  const all = useQuery(webhooks)
  const [isMaking, setMaking] = useState(false)
  const mayMake = useMay('admin')
  const make = mayMake && <button className="btn main" onClick={() => setMaking(true)}><Icon name="plus" /> {t('webhooks.new')}</button>
  return (
    <Page name={t('nav.webhooks')} title={t('nav.webhooks')} about={t('webhooks.about')} actions={make}>
      <div className="card">
        {all.isPending && <Waiting rows={2} />}
        {all.error && <div className="body"><Problem error={all.error} retry={() => void all.refetch()} /></div>}
        {all.data?.length === 0 && <Empty icon="hook" title={t('webhooks.none')} action={make}>{t('webhooks.noneAbout')}</Empty>}
        {all.data && all.data.length > 0 && <ul className="list">{all.data.map((w) => <Row key={w.id} webhook={w} />)}</ul>}
      </div>
      {isMaking && <Making close={() => setMaking(false)} />}
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
        <p className="small muted clip">
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

function Making({ close }: { close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const [url, setUrl] = useState('')
  const [chosen, setChosen] = useState<EventName[]>(['post.published', 'post.failed', 'account.error'])
  const [secret, setSecret] = useState<string>()
  const toggle = (event: EventName) => setChosen(chosen.includes(event) ? chosen.filter((e) => e !== event) : [...chosen, event])
  const { run, busy, error } = useSubmit(async () => {
    const { webhook } = await ask(api.POST('/webhooks', { body: { url, events: chosen } }))
    await client.invalidateQueries({ queryKey: ['webhooks'] })
    setSecret(webhook.secret)
  })
  if (secret) return <Secret title={t('webhooks.made')} about={t('webhooks.secretAbout')} secret={secret} close={close} />
  return (
    <Dialog title={t('webhooks.new')} close={close}>
      <form className="stack" onSubmit={run}>
        <Field label={t('webhooks.url')} type="url" placeholder="https://" value={url} set={setUrl} />
        <fieldset className="checks">
          <legend className="label">{t('webhooks.which')}</legend>
          {events.map((e) => <label className="row" key={e}><input type="checkbox" checked={chosen.includes(e)} onChange={() => toggle(e)} /> <code>{e}</code></label>)}
        </fieldset>
        {error !== null && <Problem error={error} />}
        <div className="row" style={{ justifyContent: 'flex-end' }}>
          <button className="btn" type="button" onClick={close}>{t('no')}</button>
          <button className="btn main" disabled={busy || chosen.length === 0}>{t('webhooks.make')}</button>
        </div>
      </form>
    </Dialog>
  )
}
