import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { api, ask, type Key, type Post, type Webhook } from '../../api/client'
import { useNeeds, type Need } from '../../api/queries'
import { useMay } from '../../api/session'
import { Icon } from '../../parts/Icon'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { Mark, platforms } from '../../parts/platforms'
import { failedTargets } from '../../parts/post'
import { PostRow } from '../../parts/PostRow'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { useReconnect } from '../accounts/connect'
import { useUnsuspend } from '../keys/unsuspend'
import { Retry } from '../post/Retry'

const kinds: Need['kind'][] = ['account', 'unknown', 'failed', 'held', 'webhook', 'key']

export function NeedsPage() {
  const { t } = useWords()
  const { needs, retried, isPending, error } = useNeeds()
  return (
    <Page name={t('nav.needs')} title={t('nav.needs')} about={t('needs.about')}>
      {error && <Problem error={error} />}
      {isPending && <div className="card"><Waiting /></div>}
      {!isPending && !error && needs.length + retried.length === 0 && (
        <div className="card"><Empty icon="check" title={t('needs.none')}>{t('needs.noneAbout')}</Empty></div>
      )}
      {kinds.map((kind) => {
        const of = needs.filter((n) => n.kind === kind)
        if (of.length === 0) return null
        return (
          <section className="card" key={kind} aria-label={t(`needs.${kind}`)}>
            <header><h2>{t(`needs.${kind}`)}</h2><span className="muted numbers">{of.length}</span></header>
            <ul className="list">{of.map((need) => <Row key={need.id} need={need} />)}</ul>
          </section>
        )
      })}
      {retried.length > 0 && (
        <section className="card" aria-label={t('needs.retried')}>
          <header><h2>{t('needs.retried')}</h2><span className="muted numbers">{retried.length}</span></header>
          <ul className="list">{retried.map((post) => <PostRow key={post.id} post={post} />)}</ul>
        </section>
      )}
    </Page>
  )
}

function Row({ need }: { need: Need }): ReactNode {
  switch (need.kind) {
    case 'account': return <AccountRow need={need} />
    case 'key': return <KeyRow of={need.suspended} />
    case 'webhook': return <WebhookRow webhook={need.webhook} />
    default: return <FailedRow post={need.post} />
  }
}

// Why says the first reason that a post's accounts have.
function Why({ post }: { post: Post }) {
  const { t } = useWords()
  const held = post.platforms.find((p) => p.held)?.held
  const target = post.platforms.find((p) => p.error)
  if (held) return <>{t(`held.${held.reason}`)}</>
  return <>{target ? `${platforms[target.platform].name}: ${target.error?.message}` : ''}</>
}

function FailedRow({ post }: { post: Post }) {
  const { t } = useWords()
  const [open, setOpen] = useState(false)
  const mayRetry = useMay('editor') && failedTargets(post).length > 0
  return (
    <>
      <PostRow
        post={post} about={<Why post={post} />}
        actions={mayRetry
          ? <button className="btn low" onClick={() => setOpen(true)}><Icon name="retry" size={14} /> {t('retry.open')}</button>
          : <Link className="btn low" to="/posts/$id" params={{ id: post.id }}>{t('needs.look')}</Link>}
      />
      {open && <Retry post={post} close={() => setOpen(false)} />}
    </>
  )
}

function AccountRow({ need }: { need: Extract<Need, { kind: 'account' }> }) {
  const { t } = useWords()
  const reconnect = useReconnect()
  const mayConnect = useMay('admin')
  return (
    <li>
      <Mark platform={need.account.platform} />
      <div className="grow">
        <p className="strong clip">{need.account.name}</p>
        <p className="small muted">{need.account.error?.message}</p>
      </div>
      {mayConnect && <button className="btn low" onClick={() => void reconnect(need.account)}><Icon name="link" size={14} /> {t('accounts.reconnect')}</button>}
    </li>
  )
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { fail, show } = useToast()
  const enable = async () => {
    await ask(api.PATCH('/webhooks/{id}', { params: { path: { id: webhook.id } }, body: { isActive: true } }))
    await client.invalidateQueries({ queryKey: ['webhooks'] })
    show({ tone: 'good', text: t('webhooks.enabled') })
  }
  return (
    <li>
      <Icon name="hook" />
      <div className="grow">
        <p className="strong clip">{webhook.url}</p>
        <p className="small muted">{webhook.disabledReason}</p>
      </div>
      <button className="btn low" onClick={() => void enable().catch(fail)}>{t('webhooks.enable')}</button>
    </li>
  )
}

// KeyRow ends a suspension before its time, for whoever has mended the program.
function KeyRow({ of }: { of: Key }) {
  const { t, time } = useWords()
  const unsuspend = useUnsuspend()
  return (
    <li>
      <Icon name="key" />
      <div className="grow">
        <p className="strong clip">{of.name}</p>
        <p className="small muted">{t('needs.keyAbout', { time: time.clock(of.suspendedUntil ?? '') })}</p>
      </div>
      <button className="btn low" onClick={() => void unsuspend(of)}>{t('keys.unsuspend')}</button>
    </li>
  )
}
