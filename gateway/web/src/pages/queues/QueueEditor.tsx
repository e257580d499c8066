import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask } from '../../api/client'
import { brands } from '../../api/queries'
import { useMay } from '../../api/session'
import { Confirm } from '../../parts/Confirm'
import { zone } from '../../parts/dates'
import { Field, Select, useSubmit } from '../../parts/Form'
import { Page, Problem } from '../../parts/Page'
import { RowMenu } from '../../parts/RowMenu'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { NextSlots } from './NextSlots'
import { days, inOrder, zones, type Queue, type Slot } from './week'
import { Week } from './Week'

// workdays are what a new queue begins with.
const workdays: Slot[] = days.slice(0, 5).map((day) => ({ day, time: '09:00' }))

const begun = () => ({ name: '', timezone: zone(), brandId: null as string | null, slots: workdays, isDefault: false })

// useSaving stores what is written of a queue, and goes to the queue's own page where it is new.
function useSaving(queue: Queue | undefined, { brandId, ...written }: ReturnType<typeof begun>) {
  const { t } = useWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { show } = useToast()
  return useSubmit(async () => {
    const body = { ...written, slots: inOrder(written.slots) }
    const { queue: saved } = queue
      ? await ask(api.PATCH('/queues/{id}', { params: { path: { id: queue.id } }, body }))
      : await ask(api.POST('/queues', { body: { ...body, ...(brandId ? { brandId } : {}) } }))
    await client.invalidateQueries({ queryKey: ['queues'] })
    if (!queue) await navigate({ to: '/queues/$id', params: { id: saved.id }, replace: true })
    show({ tone: 'good', text: t('queues.saved', { name: saved.name }) })
  })
}

export function QueueEditor({ queue }: { queue?: Queue }) {
  const { t } = useWords()
  const [written, setWritten] = useState(() => queue ?? begun())
  const [isDeleting, setDeleting] = useState(false)
  const mayKeep = useMay('editor')
  const set = (next: Partial<Queue>) => setWritten({ ...written, ...next })
  const { name, timezone, brandId, slots, isDefault } = written
  const submit = useSaving(queue, { name, timezone, brandId, slots, isDefault })
  const title = queue?.name ?? t('queues.new')
  return (
    <Page
      name={title} title={title} about={<Link to="/queues">{t('queues.all')}</Link>}
      actions={mayKeep && (
        <>
          {queue && <RowMenu of={[{ icon: 'trash', label: t('delete'), run: () => setDeleting(true), isGrave: true }]} />}
          <button className="btn main" form="queue" disabled={submit.busy || slots.length === 0}>{t(queue ? 'save' : 'queues.make')}</button>
        </>
      )}
    >
      {submit.error !== null && <Problem error={submit.error} />}
      <div className="queue">
        <form className="card" id="queue" onSubmit={submit.run}>
          <fieldset className="body queue-fields" disabled={!mayKeep}>
            <Field label={t('name')} maxLength={255} value={name} set={(next) => set({ name: next })} />
            <Select label={t('queues.zone')} value={timezone} set={(next) => set({ timezone: next })}>
              {zones(timezone).map((z) => <option key={z}>{z}</option>)}
            </Select>
            {!queue && <BrandChoice value={brandId} set={(next) => set({ brandId: next })} />}
            <label className="row"><input type="checkbox" checked={isDefault} disabled={queue?.isDefault} onChange={(e) => set({ isDefault: e.target.checked })} /> {t('queues.makeDefault')}</label>
          </fieldset>
          <p className="body small muted week-hint">{t(mayKeep ? 'queues.hint' : 'queues.week')}</p>
          <Week slots={slots} set={mayKeep ? (next) => set({ slots: next }) : undefined} />
        </form>
        {queue && <NextSlots queue={queue} />}
      </div>
      {isDeleting && queue && <Deleting queue={queue} close={() => setDeleting(false)} />}
    </Page>
  )
}

function BrandChoice({ value, set }: { value: string | null; set: (value: string | null) => void }) {
  const { t } = useWords()
  const all = useQuery(brands)
  if (!all.data?.length) return null
  return (
    <Select label={t('queues.brand')} value={value ?? ''} set={(next) => set(next || null)}>
      <option value="">{t('queues.everybrand')}</option>
      {all.data.map((b) => <option key={b.id} value={b.id}>{b.name}</option>)}
    </Select>
  )
}

function Deleting({ queue, close }: { queue: Queue; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  return (
    <Confirm
      title={t('queues.deleteTitle', { name: queue.name })} action={t('delete')} tone="bad" close={close}
      run={async () => {
        await ask(api.DELETE('/queues/{id}', { params: { path: { id: queue.id } } }))
        await navigate({ to: '/queues' })
        await client.invalidateQueries({ queryKey: ['queues'] })
      }}
    ><p>{t('queues.deleteAbout')}</p></Confirm>
  )
}
