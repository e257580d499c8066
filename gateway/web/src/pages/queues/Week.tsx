import './week.css'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useWords } from '../../words'
import { SlotButton } from './SlotButton'
import { dayName, days, hourOf, isSame, timeAt, type Day, type Slot } from './week'

const hours = Array.from({ length: 24 }, (_, hour) => hour)

// dawn is the hour that the week is scrolled to at first.
const dawn = 7

const steps: Record<string, [number, number] | undefined> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

type WeekProps = { slots: Slot[]; set?: (slots: Slot[]) => void }

// Week is a week of a queue's slots. Where it may be set a click on an empty hour makes a slot, and one on a slot
// changes it; arrow keys go from hour to hour.
export function Week({ slots, set }: WeekProps) {
  const { t, time } = useWords()
  const frame = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<[number, number]>([0, dawn])
  useEffect(() => {
    const row = frame.current?.querySelector<HTMLElement>(`tr[data-hour="${dawn}"]`)
    if (frame.current && row) frame.current.scrollTop = row.offsetTop - 28
  }, [])
  const steer = (event: KeyboardEvent) => {
    const step = steps[event.key]
    const cell = (event.target as HTMLElement).closest<HTMLElement>('td')
    if (!step || !cell?.dataset['day']) return
    event.preventDefault()
    const day = (Number(cell.dataset['day']) + step[0] + days.length) % days.length
    const hour = (Number(cell.dataset['hour']) + step[1] + hours.length) % hours.length
    setAt([day, hour])
    frame.current?.querySelector<HTMLElement>(`td[data-day="${day}"][data-hour="${hour}"] button`)?.focus()
  }
  return (
    <div className="week-frame" ref={frame} tabIndex={set ? undefined : 0}>
      <table className="week" aria-label={t('queues.week')} onKeyDown={steer}>
        <thead>
          <tr><td />{days.map((day) => <th key={day} scope="col">{dayName(day, time.locale)}</th>)}</tr>
        </thead>
        <tbody>
          {hours.map((hour) => (
            <tr key={hour} data-hour={hour}>
              <th scope="row" className="numbers">{timeAt(hour)}</th>
              {days.map((day, n) => (
                <td key={day} data-day={n} data-hour={hour}>
                  <Hour day={day} hour={hour} slots={slots} set={set} isReachable={at[0] === n && at[1] === hour} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type HourProps = WeekProps & { day: Day; hour: number; isReachable: boolean }

function Hour({ day, hour, slots, set, isReachable }: HourProps) {
  const { t, time } = useWords()
  const mine = slots.filter((s) => s.day === day && hourOf(s) === hour)
  const tabIndex = isReachable ? 0 : -1
  if (!set) return mine.map((s) => <span className="slot" key={s.time}>{s.time}</span>)
  if (mine.length === 0) {
    const label = t('queues.add', { day: dayName(day, time.locale, 'long'), time: timeAt(hour) })
    return <button type="button" className="place" tabIndex={tabIndex} aria-label={label} onClick={() => set([...slots, { day, time: timeAt(hour) }])} />
  }
  return mine.map((slot) => (
    <SlotButton key={slot.time} slot={slot} tabIndex={tabIndex} set={(next) => set([...slots.filter((s) => !isSame(s, slot)), ...next])} />
  ))
}
