import { Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Account, type Schemas } from '../../api/client'
import { healths, useAccounts } from '../../api/queries'
import { useMay } from '../../api/session'
import { Confirm } from '../../parts/Confirm'
import { Icon } from '../../parts/Icon'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { Mark, platforms } from '../../parts/platforms'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { useReconnect } from './connect'
import { Connecting } from './Connecting'

export function AccountsPage() {
  const { t } = useWords()
  const accounts = useAccounts()
  const health = useQuery(healths)
  const [isConnecting, setConnecting] = useState(false)
  const mayConnect = useMay('admin')
  const byId = new Map((health.data ?? []).map((h) => [h.accountId, h]))
  const connect = mayConnect && <button className="btn main" onClick={() => setConnecting(true)}><Icon name="plus" /> {t('accounts.connect')}</button>
  return (
    <Page
      name={t('nav.accounts')} title={t('nav.accounts')} about={t('accounts.about')}
      actions={
        <>
          <button className="btn" disabled={health.isFetching} onClick={() => void health.refetch()}><Icon name="retry" /> {t(health.isFetching ? 'accounts.checking' : 'accounts.check')}</button>
          {connect}
        </>
      }
    >
      {accounts.error && <Problem error={accounts.error} retry={() => void accounts.refetch()} />}
      {accounts.isPending && <div className="card"><Waiting /></div>}
      {accounts.isSuccess && accounts.all.length === 0 && <div className="card"><Empty icon="people" title={t('accounts.none')} action={connect}>{t('accounts.noneAbout')}</Empty></div>}
      {accounts.brands.map((brand) => (
        <section className="card" key={brand.name ?? ''} aria-label={brand.name ?? t('nav.accounts')}>
          {accounts.brands.length > 1 && <header><h2>{brand.name ?? t('compose.noBrand')}</h2></header>}
          <ul className="list">
            {brand.accounts.map((a) => <Row key={a.id} account={a} health={byId.get(a.id)} isChecking={health.isPending} />)}
          </ul>
        </section>
      ))}
      {isConnecting && <Connecting accounts={accounts.all} close={() => setConnecting(false)} />}
    </Page>
  )
}

type RowProps = { account: Account; health?: Schemas['AccountHealth']; isChecking: boolean }

function Row({ account, health, isChecking }: RowProps) {
  const { t, time } = useWords()
  const reconnect = useReconnect()
  const [isLeaving, setLeaving] = useState(false)
  const mayConnect = useMay('admin')
  const problem = account.error?.message ?? health?.error?.message
  const isBroken = account.needsReconnect || health?.needsReconnect
  return (
    <li>
      <Mark platform={account.platform} size="big" />
      <div className="grow">
        <p className="row"><span className="strong clip">{account.name}</span> <Health isBroken={Boolean(isBroken)} health={health} isChecking={isChecking} /></p>
        <p className="small muted clip">{platforms[account.platform].name}{account.server && ` · ${account.server.replace(/^https?:\/\//, '')}`} · {t('accounts.since', { day: time.day(account.createdAt) })}</p>
        {problem && <p className="small problem">{problem}</p>}
      </div>
      {isBroken && mayConnect && <button className="btn low" onClick={() => void reconnect(account)}><Icon name="link" size={14} /> {t('accounts.reconnect')}</button>}
      {mayConnect && (
        <Menu position="bottom-end" shadow="none" transitionProps={{ duration: 80 }}>
          <Menu.Target><button className="btn bare low icon" aria-label={t('accounts.more', { name: account.name })}><Icon name="more" /></button></Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<Icon name="link" />} onClick={() => void reconnect(account)}>{t('accounts.reconnect')}</Menu.Item>
            <Menu.Item color="var(--bad)" leftSection={<Icon name="x" />} onClick={() => setLeaving(true)}>{t('accounts.disconnect')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {isLeaving && <Disconnect account={account} close={() => setLeaving(false)} />}
    </li>
  )
}

function Health({ isBroken, health, isChecking }: { isBroken: boolean; health?: Schemas['AccountHealth']; isChecking: boolean }) {
  const { t } = useWords()
  if (isBroken) return <span className="pill bad">{t('accounts.broken')}</span>
  if (!health) return isChecking ? <span className="pill">{t('accounts.checking')}</span> : null
  if (health.status === 'healthy') return <span className="pill good">{t('accounts.healthy')}</span>
  return <span className="pill warn">{t('accounts.unsure')}</span>
}

function Disconnect({ account, close }: { account: Account; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  return (
    <Confirm
      title={t('accounts.disconnectTitle', { name: account.name })} action={t('accounts.disconnect')} tone="bad" close={close}
      run={async () => {
        await ask(api.DELETE('/accounts/{id}', { params: { path: { id: account.id } } }))
        await client.invalidateQueries({ queryKey: ['accounts'] })
        show({ tone: 'good', text: t('accounts.disconnected', { name: account.name }) })
      }}
    >
      <p>{t('accounts.disconnectAbout')}</p>
    </Confirm>
  )
}
