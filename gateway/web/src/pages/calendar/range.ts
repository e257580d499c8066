import { addDays, dateOf, dayOf } from '../../parts/dates'
import type { CalendarView } from '../../router'

const monday = (at: Date) => addDays(at, -((at.getDay() + 6) % 7))

// listDays is how many days the list shows.
const listDays = 14

// around returns the times that a view of a day shows.
export function around(view: CalendarView, date: string): { after: string; before: string } {
  const at = dayOf(date)
  const between = (from: Date, days: number) => ({ after: from.toISOString(), before: new Date(addDays(from, days).getTime() - 1).toISOString() })
  switch (view) {
    case 'day': return between(at, 1)
    case 'week': return between(monday(at), 7)
    case 'list': return between(at, listDays)
    case 'month': return between(monday(new Date(at.getFullYear(), at.getMonth(), 1)), 42)
  }
}

// step returns the day by which the view before or after is found.
export function step(view: CalendarView, date: string, by: 1 | -1): string {
  const at = dayOf(date)
  if (view === 'month') return dateOf(new Date(at.getFullYear(), at.getMonth() + by, 1))
  return dateOf(addDays(at, by * { day: 1, week: 7, list: listDays }[view]))
}

// titleOf says which time a view shows.
export function titleOf(view: CalendarView, date: string, locale: string): string {
  const at = dayOf(date)
  if (view === 'month') return new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' }).format(at)
  const short = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
  if (view === 'day') return new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' }).format(at)
  const from = view === 'week' ? monday(at) : at
  return short.formatRange(from, addDays(from, view === 'week' ? 6 : listDays - 1))
}

// hourOf is the time of day that hours begin to be shown with: the morning, or where today is shown later in the
// day, what was two hours ago.
export function hourOf(view: CalendarView, date: string): string {
  const now = new Date()
  const { after, before } = around(view, date)
  const isToday = after <= now.toISOString() && now.toISOString() <= before
  return `${String(isToday ? Math.max(7, now.getHours() - 2) : 7).padStart(2, '0')}:00:00`
}
