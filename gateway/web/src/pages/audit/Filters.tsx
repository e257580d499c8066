import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { keys } from '../../api/queries'
import { Narrowing } from '../../parts/Narrowing'
import { useWords } from '../../words'
import type { AuditSearch } from '../../router'
import { members } from '../people/people'
import { actions, kinds, type Actor } from './audit'

// Filters narrow the log; they are in the address, so that it can be sent to somebody. seen are those whom the rows
// that are shown are of: somebody may be a member no more.
export function Filters({ seen }: { seen: Actor[] }) {
  const { t } = useWords()
  const people = useQuery(members).data ?? []
  const programs = useQuery(keys).data ?? []
  const search = useSearch({ from: '/audit' })
  const navigate = useNavigate({ from: '/audit' })
  const set = (next: AuditSearch) => void navigate({ search: { ...search, ...next }, replace: true })
  const offered: (string | undefined)[] = [...kinds, ...people.map((m) => m.userId), ...programs.map((k) => k.id)]
  const gone = search.actor !== undefined && !offered.includes(search.actor)
  const isFiltered = Object.values(search).some(Boolean)
  return (
    <div className="row wrap audit-filters">
      <Narrowing label={t('audit.who')} all={t('audit.anybody')} value={search.actor} set={(actor) => set({ actor })}>
        {gone && <option value={search.actor}>{seen.find((a) => a.id === search.actor)?.name ?? search.actor}</option>}
        <optgroup label={t('audit.members')}>{people.map((m) => <option key={m.userId} value={m.userId}>{m.name || m.email}</option>)}</optgroup>
        {programs.length > 0 && <optgroup label={t('audit.keys')}>{programs.map((k) => <option key={k.id} value={k.id}>{k.name}</option>)}</optgroup>}
        <optgroup label={t('audit.kinds')}>{kinds.map((kind) => <option key={kind} value={kind}>{t(`audit.by.${kind}`)}</option>)}</optgroup>
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
