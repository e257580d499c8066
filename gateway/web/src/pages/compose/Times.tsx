import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { queues, slotsOf } from '../../api/queries'
import { wallTime, zone } from '../../parts/dates'
import { Field, Select } from '../../parts/Form'
import { useWords } from '../../words'
import type { When, Writing } from './writing'

type TimesProps = { writing: Writing; brandId?: string; offered: When[]; change: (next: Partial<Writing>) => void }

// Times chooses when a post goes out.
export function Times({ writing, brandId, offered, change }: TimesProps) {
  const { t } = useWords()
  const { when } = writing
  return (
    <div className="stack">
      <div className="tabs whens" role="group" aria-label={t('compose.when')}>
        {offered.map((w) => <button key={w} aria-pressed={w === when} onClick={() => change({ when: w })}>{t(`when.${w}`)}</button>)}
      </div>
      {when === 'at' && <Field label={t('when.time')} hint={t('when.zone', { zone: zone() })} type="datetime-local" min={wallTime(new Date())} value={writing.at} set={(at) => change({ at })} />}
      {when === 'queue' && <QueueChoice queueId={writing.queueId} brandId={brandId} choose={(queueId) => change({ queueId })} />}
      {when === 'now' && <p className="small muted">{t('when.nowAbout')}</p>}
      {when === 'draft' && <p className="small muted">{t('when.draftAbout')}</p>}
    </div>
  )
}

type QueueChoiceProps = { queueId: string; brandId?: string; choose: (queueId: string) => void }

// QueueChoice names the queue, and its next free place.
function QueueChoice({ queueId, brandId, choose }: QueueChoiceProps) {
  const { t, time } = useWords()
  const all = useQuery(queues).data ?? []
  const defaults = all.filter((q) => q.isDefault)
  const usual = defaults.find((q) => q.brandId === (brandId ?? null)) ?? defaults.find((q) => q.brandId === null)
  const slots = useQuery(slotsOf(queueId || usual?.id))
  if (all.length === 0) return <p className="small muted">{t('when.noQueue')} <Link to="/queues">{t('nav.queues')}</Link></p>
  const next = slots.data?.[0]
  return (
    <Select
      label={t('when.whichQueue')} value={queueId} set={choose}
      hint={slots.isSuccess && <span role="status">{next ? t('when.nextPlace', { time: time.full(next) }) : t('when.noPlace')}</span>}
    >
      <option value="">{usual ? t('when.usualQueue', { name: usual.name }) : t('when.defaultQueue')}</option>
      {all.filter((q) => q.id !== usual?.id).map((q) => <option key={q.id} value={q.id}>{q.name}</option>)}
    </Select>
  )
}
