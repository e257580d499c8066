import type { Schemas } from '../../api/client'

export type Slot = Schemas['WeekSlot']
export type Queue = Schemas['Queue']
export type Day = Slot['day']

export const days: Day[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

// monday is one, to name the days of a week by.
const monday = Date.UTC(2024, 0, 1)

// dayName is what the reader calls a day of the week.
export function dayName(day: Day, locale: string, weekday: 'short' | 'long' = 'short'): string {
  const at = new Date(monday + days.indexOf(day) * 24 * 3600 * 1000)
  return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(at)
}

// hourOf is the hour of a slot, 0 to 23.
export const hourOf = (slot: Slot) => Number(slot.time.slice(0, 2))

export const timeAt = (hour: number) => `${String(hour).padStart(2, '0')}:00`

export const isSame = (a: Slot, b: Slot) => a.day === b.day && a.time === b.time

// inOrder are slots in the order of the week, each once.
export function inOrder(slots: Slot[]): Slot[] {
  const place = (s: Slot) => days.indexOf(s.day) + s.time
  const each = new Map(slots.map((s) => [place(s), s]))
  return [...each].sort(([a], [b]) => a.localeCompare(b)).map(([, s]) => s)
}

// zones are those that the browser knows, and one more where a queue has another.
export function zones(present: string): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return [...new Set(['UTC', present, ...known])].sort()
}
