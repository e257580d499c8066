import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { api, ask, type Post } from '../../api/client'
import { useAccounts, type Need } from '../../api/queries'
import { useMay } from '../../api/session'
import { Cause } from '../../parts/Cause'
import { Held } from '../../parts/Held'
import { Icon } from '../../parts/Icon'
import { Mark, platforms } from '../../parts/platforms'
import { excerpt, isRetriable } from '../../parts/post'
import { PostRow } from '../../parts/PostRow'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { useReconnect } from '../accounts/connect'
import { useResume } from '../accounts/dialogs'
import { useUnsuspend } from '../keys/unsuspend'
import { Retry } from '../post/Retry'
import { Dismissal } from './Dismissal'

type Of<K extends Need['kind']> = { need: Extract<Need, { kind: K }> }

// NeedRow says what needs somebody and why, with the one thing that is done about it.
export function NeedRow({ need }: { need: Need }): ReactNode {
  switch (need.kind) {
    case 'account': return <AccountRow need={need} />
    case 'key': return <KeyRow need={need} />
    case 'webhook': return <WebhookRow need={need} />
    default: return <FailedRow need={need} />
  }
}

// Why says the first reason that a post's accounts have.
function Why({ post }: { post: Post }) {
  const held = post.platforms.find((p) => p.held)?.held
  const target = post.platforms.find((p) => p.error)
  if (held) return <Held of={held} />
  return <>{target?.error ? <>{platforms[target.platform].name}: <Cause of={target.error} /></> : null}</>
}

function FailedRow({ need }: Of<'failed' | 'unknown' | 'held'>) {
  const { t } = useWords()
  const [open, setOpen] = useState(false)
  const { post } = need
  const mayRetry = useMay('editor') && isRetriable(post)
  const mayResume = useMay('admin')
  const resume = useResume()
  const { byId } = useAccounts()
  const paused = byId.get(post.platforms.find((p) => p.held?.by === 'member')?.accountId ?? '')
  return (
    <>
      <PostRow
        post={post} about={<Why post={post} />}
        actions={(
          <>
            {mayRetry && <button className="btn low" onClick={() => setOpen(true)}><Icon name="retry" size={14} /> {t('retry.open')}</button>}
            {!mayRetry && (mayResume && paused
              ? <button className="btn low" title={t('accounts.resumeOf', { name: paused.name })} onClick={() => resume(paused)}><Icon name="play" size={14} /> {t('accounts.resume')}</button>
              : <Link className="btn low" to="/posts/$id" params={{ id: post.id }}>{t('needs.look')}</Link>)}
            <Dismissal need={need} name={excerpt(post, t)} />
          </>
        )}
      />
      {open && <Retry post={post} close={() => setOpen(false)} />}
    </>
  )
}

function AccountRow({ need }: Of<'account'>) {
  const { t } = useWords()
  const reconnect = useReconnect()
  const mayConnect = useMay('admin')
  return (
    <li>
      <Mark platform={need.account.platform} />
      <div className="grow">
        <p className="strong clip">{need.account.name}</p>
        <p className="small muted">{need.account.error && <Cause of={need.account.error} />}</p>
      </div>
      {mayConnect && <button className="btn low" onClick={() => void reconnect(need.account)}><Icon name="link" size={14} /> {t('accounts.reconnect')}</button>}
    </li>
  )
}

function WebhookRow({ need }: Of<'webhook'>) {
  const { t } = useWords()
  const client = useQueryClient()
  const { fail, show } = useToast()
  const { webhook } = need
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
        <p className="small muted">{t('webhooks.disabledAbout', { n: webhook.consecutiveFailures })}</p>
      </div>
      <button className="btn low" onClick={() => void enable().catch(fail)}>{t('webhooks.enable')}</button>
      <Dismissal need={need} name={webhook.url} />
    </li>
  )
}

// KeyRow ends a suspension before its time, for whoever has mended the program.
function KeyRow({ need }: Of<'key'>) {
  const { t, time } = useWords()
  const unsuspend = useUnsuspend()
  const { suspended } = need
  return (
    <li>
      <Icon name="key" />
      <div className="grow">
        <p className="strong clip">{suspended.name}</p>
        <p className="small muted">{t('needs.keyAbout', { time: time.clock(suspended.suspendedUntil ?? '') })}</p>
      </div>
      <button className="btn low" onClick={() => void unsuspend(suspended)}>{t('keys.unsuspend')}</button>
      <Dismissal need={need} name={suspended.name} />
    </li>
  )
}
