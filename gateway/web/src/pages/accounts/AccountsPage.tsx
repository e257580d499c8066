import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { healths, platformLimits, useAccounts } from '../../api/queries'
import { useMay } from '../../api/session'
import { Icon } from '../../parts/Icon'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { useWords } from '../../words'
import { AccountRow } from './AccountRow'
import { Connecting } from './Connecting'
import { useToday } from './today'

export function AccountsPage() {
  const { t } = useWords()
  const accounts = useAccounts()
  const health = useQuery(healths)
  const [isConnecting, setConnecting] = useState(false)
  const mayConnect = useMay('admin')
  const today = useToday()
  const limits = useQuery(platformLimits)
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
            {brand.accounts.map((a) => (
              <AccountRow
                key={a.id} account={a} health={byId.get(a.id)} isChecking={health.isPending} today={today?.get(a.id) ?? 0}
                limit={limits.data?.platforms.find((p) => p.platform === a.platform)?.postsPerDay}
              />
            ))}
          </ul>
        </section>
      ))}
      {isConnecting && <Connecting accounts={accounts.all} close={() => setConnecting(false)} />}
    </Page>
  )
}
