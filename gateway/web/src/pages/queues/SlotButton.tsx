import { Popover } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { Field } from '../../parts/Form'
import { useWords } from '../../words'
import { dayName, type Slot } from './week'

type SlotButtonProps = { slot: Slot; tabIndex: number; set: (instead: Slot[]) => void }

// SlotButton is a slot that can be moved within its day, doubled and removed. set takes what is there instead of it.
export function SlotButton({ slot, tabIndex, set }: SlotButtonProps) {
  const { t, time } = useWords()
  const [isOpen, setOpen] = useState(false)
  const day = dayName(slot.day, time.locale, 'long')
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus shadow="none" position="bottom" withArrow={false} transitionProps={{ duration: 80 }}>
      <Popover.Target>
        <button type="button" className="slot numbers" tabIndex={tabIndex} aria-label={t('queues.slot', { day, time: slot.time })} onClick={() => setOpen(!isOpen)}>{slot.time}</button>
      </Popover.Target>
      <Popover.Dropdown>
        <Editing slot={slot} title={day} set={(instead) => { setOpen(false); set(instead) }} />
      </Popover.Dropdown>
    </Popover>
  )
}

function Editing({ slot, title, set }: { slot: Slot; title: string; set: (instead: Slot[]) => void }) {
  const { t } = useWords()
  const [at, setAt] = useState(slot.time)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation() // it is within the form of the queue, to React if not to the browser
    set([{ ...slot, time: at }])
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Field label={title} type="time" value={at} set={setAt} />
      <div className="row">
        <button className="btn low main">{t('queues.apply')}</button>
        <button className="btn low" type="button" disabled={at === slot.time} onClick={() => set([slot, { ...slot, time: at }])}>{t('queues.another')}</button>
        <button className="btn low bad" type="button" onClick={() => set([])}>{t('media.remove')}</button>
      </div>
    </form>
  )
}
