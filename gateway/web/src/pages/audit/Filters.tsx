import { useNavigate, useSearch } from '@tanstack/react-router'
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
      <select className="input" aria-label={t('audit.who')} value={search.actor ?? ''} onChange={(e) => set({ actor: e.target.value || undefined })}>
        <option value="">{t('audit.anybody')}</option>
        {kinds.map((kind) => <option key={kind} value={kind}>{t(`audit.by.${kind}`)}</option>)}
      </select>
      <select className="input" aria-label={t('audit.what')} value={search.action ?? ''} onChange={(e) => set({ action: e.target.value || undefined })}>
        <option value="">{t('audit.anything')}</option>
        {actions.map((action) => <option key={action} value={action}>{t(`audit.of.${action}`)}</option>)}
      </select>
      <div className="row days">
        <label className="row small muted">{t('audit.from')} <input className="input" type="date" value={search.from ?? ''} max={search.to} onChange={(e) => set({ from: e.target.value || undefined })} /></label>
        <label className="row small muted">{t('audit.to')} <input className="input" type="date" value={search.to ?? ''} min={search.from} onChange={(e) => set({ to: e.target.value || undefined })} /></label>
      </div>
      {isFiltered && <button className="btn bare low" onClick={() => void navigate({ search: {}, replace: true })}>{t('calendar.clear')}</button>}
    </div>
  )
}
