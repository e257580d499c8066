import { useNavigate, useSearch } from '@tanstack/react-router'
import { Narrowing } from '../../parts/Narrowing'
import { useWords } from '../../words'
import type { AuditSearch } from '../../router'
import { actions, kinds } from './audit'

// Filters narrow the log; they are in the address, so that it can be sent to somebody.
export function Filters() {
  const { t } = useWords()
  const search = useSearch({ from: '/audit' })
  const navigate = useNavigate({ from: '/audit' })
  const set = (next: AuditSearch) => void navigate({ search: { ...search, ...next }, replace: true })
  const isFiltered = Object.values(search).some(Boolean)
  return (
    <div className="row wrap audit-filters">
      <Narrowing label={t('audit.who')} all={t('audit.anybody')} value={search.actor} set={(actor) => set({ actor })}>
        {kinds.map((kind) => <option key={kind} value={kind}>{t(`audit.by.${kind}`)}</option>)}
      </Narrowing>
      <Narrowing label={t('audit.what')} all={t('audit.anything')} value={search.action} set={(action) => set({ action })}>
        {actions.map((action) => <option key={action} value={action}>{t(`audit.of.${action}`)}</option>)}
      </Narrowing>
      <div className="row days">
        <label className="row small muted">{t('audit.from')} <input className="input" type="date" value={search.from ?? ''} max={search.to} onChange={(e) => set({ from: e.target.value || undefined })} /></label>
        <label className="row small muted">{t('audit.to')} <input className="input" type="date" value={search.to ?? ''} min={search.from} onChange={(e) => set({ to: e.target.value || undefined })} /></label>
      </div>
      {isFiltered && <button className="btn bare low" onClick={() => void navigate({ search: {}, replace: true })}>{t('calendar.clear')}</button>}
    </div>
  )
}
