import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { queues } from '../../api/queries'
import { wallTime, zone } from '../../parts/dates'
import { useWords } from '../../words'
import type { When, Writing } from './writing'

type TimesProps = { writing: Writing; offered: When[]; change: (next: Partial<Writing>) => void }

// Times chooses when a post goes out.
export function Times({ writing, offered, change }: TimesProps) {
  const { t } = useWords()
  const at = useId()
  const queue = useId()
  const all = useQuery(queues).data ?? []
  const { when } = writing
  return (
    <div className="stack">
      <div className="tabs whens" role="group" aria-label={t('compose.when')}>
        {offered.map((w) => <button key={w} aria-pressed={w === when} onClick={() => change({ when: w })}>{t(`when.${w}`)}</button>)}
      </div>
      {when === 'at' && (
        <div className="field">
          <label htmlFor={at}>{t('when.time')}</label>
          <input className="input" id={at} type="datetime-local" value={writing.at} min={wallTime(new Date())} onChange={(e) => change({ at: e.target.value })} />
          <span className="hint">{t('when.zone', { zone: zone() })}</span>
        </div>
      )}
      {when === 'queue' && (all.length === 0 ? <p className="small muted">{t('when.noQueue')}</p> : (
        <div className="field">
          <label htmlFor={queue}>{t('when.whichQueue')}</label>
          <select className="input" id={queue} value={writing.queueId} onChange={(e) => change({ queueId: e.target.value })}>
            <option value="">{t('when.defaultQueue')}</option>
            {all.map((q) => <option key={q.id} value={q.id}>{q.name}</option>)}
          </select>
        </div>
      ))}
      {when === 'now' && <p className="small muted">{t('when.nowAbout')}</p>}
      {when === 'draft' && <p className="small muted">{t('when.draftAbout')}</p>}
    </div>
  )
}
