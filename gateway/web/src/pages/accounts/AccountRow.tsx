import { useState } from 'react'
import type { Account, Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { Cause } from '../../parts/Cause'
import { Icon } from '../../parts/Icon'
import { Mark, platforms } from '../../parts/platforms'
import { RowMenu } from '../../parts/RowMenu'
import { useWords } from '../../words'
import { useReconnect } from './connect'
import { Disconnect, Pausing, Renaming, useResume } from './dialogs'

type Health = Schemas['AccountHealth']

// today is how many posts the account has on this UTC day, limit how many it may have.
type RowProps = { account: Account; health?: Health; isChecking: boolean; today: number; limit?: number }

export function AccountRow({ account, health, isChecking, today, limit }: RowProps) {
  const { t, time } = useWords()
  const reconnect = useReconnect()
  const [open, setOpen] = useState<'rename' | 'pause' | 'leave'>()
  const resume = useResume()
  const mayConnect = useMay('admin')
  const problem = account.error ?? health?.error
  const lacks = health?.missingPermissions?.map((m) => m.what) ?? []
  const isBroken = account.needsReconnect || health?.needsReconnect
  return (
    <li>
      <Mark platform={account.platform} size="big" />
      <div className="grow">
        <p className="row"><span className="strong clip">{account.name}</span> {(isBroken || !account.paused) && <HealthPill isBroken={Boolean(isBroken)} health={health} isChecking={isChecking} />}{account.paused && <span className="pill warn"><Icon name="pause" size={12} /> {t('accounts.paused')}</span>}</p>
        <p className="small muted">{platforms[account.platform].name}{account.server && ` · ${account.server.replace(/^https?:\/\//, '')}`} · {limit ? t('accounts.today', { n: today, limit }) : t('accounts.todayFree', { n: today })} · {t('accounts.since', { day: time.day(account.createdAt) })}</p>
        {account.paused && <p className="small">{t(`accounts.pausedBy.${account.paused.by}`, { when: time.full(account.paused.since) })}{account.paused.reason && `: ${account.paused.reason}`}</p>}
        {lacks.length > 0 && <p className="small muted">{t('accounts.lacks', { what: lacks.join(', ') })}</p>}
        {problem && <p className="small problem"><Cause of={problem} /></p>}
      </div>
      {isBroken && mayConnect && <button className="btn low" onClick={() => void reconnect(account)}><Icon name="link" size={14} /> {t('accounts.reconnect')}</button>}
      {account.paused?.by === 'member' && mayConnect && <button className="btn low" aria-label={t('accounts.resumeOf', { name: account.name })} onClick={() => resume(account)}><Icon name="play" size={14} /> {t('accounts.resume')}</button>}
      {mayConnect && (
        <RowMenu
          name={account.name}
          of={[
            { icon: 'link', label: t('accounts.reconnect'), run: () => void reconnect(account) },
            { icon: 'edit', label: t('accounts.rename'), run: () => setOpen('rename') },
            ...(account.paused ? [] : [{ icon: 'pause' as const, label: t('accounts.pause'), run: () => setOpen('pause') }]),
            { icon: 'x', label: t('accounts.disconnect'), run: () => setOpen('leave'), isGrave: true },
          ]}
        />
      )}
      {open === 'rename' && <Renaming account={account} close={() => setOpen(undefined)} />}
      {open === 'pause' && <Pausing account={account} close={() => setOpen(undefined)} />}
      {open === 'leave' && <Disconnect account={account} close={() => setOpen(undefined)} />}
    </li>
  )
}

function HealthPill({ isBroken, health, isChecking }: { isBroken: boolean; health?: Health; isChecking: boolean }) {
  const { t } = useWords()
  if (isBroken) return <span className="pill bad">{t('accounts.broken')}</span>
  if (!health) return isChecking ? <span className="pill">{t('accounts.checking')}</span> : null
  if (health.status === 'healthy') return <span className="pill good">{t('accounts.healthy')}</span>
  return <span className="pill warn">{t('accounts.unsure')}</span>
}
