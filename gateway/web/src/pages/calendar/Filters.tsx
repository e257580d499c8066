import { useEffect, useState } from 'react'
import type { Account, PlatformName } from '../../api/client'
import { Icon } from '../../parts/Icon'
import { Narrowing } from '../../parts/Narrowing'
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
        <Narrowing label={t('filter.brand')} all={t('filter.allBrands')} value={search.brand} set={(brand) => change({ brand, account: undefined })}>
          {[...brands].map(([id, name]) => <option key={id} value={id}>{name}</option>)}
        </Narrowing>
      )}
      <Narrowing label={t('filter.platform')} all={t('filter.allPlatforms')} value={search.platform} set={(platform) => change({ platform, account: undefined })}>
        {used.map((p: PlatformName) => <option key={p} value={p}>{platforms[p].name}</option>)}
      </Narrowing>
      <Narrowing label={t('filter.account')} all={t('filter.allAccounts')} value={search.account} set={(account) => change({ account })}>
        {named.map((a) => <option key={a.id} value={a.id}>{a.name}</option>)}
      </Narrowing>
      <Narrowing label={t('filter.status')} all={t('filter.allStatuses')} value={search.status} set={(status) => change({ status })}>
        {statuses.map((s) => <option key={s} value={s}>{t(`status.${s}`)}</option>)}
      </Narrowing>
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
