import { useEffect, useState } from 'react'
import type { Account, PlatformName } from '../../api/client'
import { Icon } from '../../parts/Icon'
import { platforms } from '../../parts/platforms'
import type { CalendarSearch } from '../../router'
import { useWords } from '../../words'

const statuses = ['draft', 'scheduled', 'processing', 'posted', 'partially_failed', 'failed', 'cancelled', 'held', 'unknown'] as const

type FiltersProps = { search: CalendarSearch; accounts: Account[]; change: (next: Partial<CalendarSearch>) => void }

// Filters narrow what is shown. They are in the address, so that a view can be passed on.
export function Filters({ search, accounts, change }: FiltersProps) {
  const { t } = useWords()
  const used = [...new Set(accounts.map((a) => a.platform))]
  const brands = new Map(accounts.flatMap((a) => (a.brandId && a.brandName ? [[a.brandId, a.brandName]] : [])))
  const named = accounts.filter((a) => (!search.platform || a.platform === search.platform) && (!search.brand || a.brandId === search.brand))
  return (
    <div className="filters" role="search">
      <SearchField q={search.q} change={(q) => change({ q })} />
      {brands.size > 0 && (
        <select className="input" aria-label={t('filter.brand')} value={search.brand ?? ''} onChange={(e) => change({ brand: e.target.value || undefined, account: undefined })}>
          <option value="">{t('filter.allBrands')}</option>
          {[...brands].map(([id, name]) => <option key={id} value={id}>{name}</option>)}
        </select>
      )}
      <select className="input" aria-label={t('filter.platform')} value={search.platform ?? ''} onChange={(e) => change({ platform: e.target.value || undefined, account: undefined })}>
        <option value="">{t('filter.allPlatforms')}</option>
        {used.map((p: PlatformName) => <option key={p} value={p}>{platforms[p].name}</option>)}
      </select>
      <select className="input" aria-label={t('filter.account')} value={search.account ?? ''} onChange={(e) => change({ account: e.target.value || undefined })}>
        <option value="">{t('filter.allAccounts')}</option>
        {named.map((a) => <option key={a.id} value={a.id}>{a.name}</option>)}
      </select>
      <select className="input" aria-label={t('filter.status')} value={search.status ?? ''} onChange={(e) => change({ status: e.target.value || undefined })}>
        <option value="">{t('filter.allStatuses')}</option>
        {statuses.map((s) => <option key={s} value={s}>{t(`status.${s}`)}</option>)}
      </select>
    </div>
  )
}

// pause is how long a reader stops typing before it is searched, in milliseconds.
const pause = 250

function SearchField({ q, change }: { q?: string; change: (q?: string) => void }) {
  const { t } = useWords()
  const [typed, setTyped] = useState(q ?? '')
  useEffect(() => setTyped(q ?? ''), [q])
  useEffect(() => {
    if (typed === (q ?? '')) return
    const timer = setTimeout(() => change(typed.trim() || undefined), pause)
    return () => clearTimeout(timer)
  }, [typed, q, change])
  return (
    <div className="seek">
      <Icon name="search" size={14} />
      <input className="input" type="search" maxLength={100} placeholder={t('filter.search')} aria-label={t('filter.search')} value={typed} onChange={(e) => setTyped(e.target.value)} />
    </div>
  )
}
