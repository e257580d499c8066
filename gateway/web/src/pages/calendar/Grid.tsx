import FullCalendar, { type CalendarRef, type EventApi, type EventDisplayInfo } from '@fullcalendar/react'
import '@fullcalendar/react/skeleton.css'
import dayGrid from '@fullcalendar/react/daygrid'
import interaction from '@fullcalendar/react/interaction'
import list from '@fullcalendar/react/list'
import german from '@fullcalendar/react/locales/de'
import timeGrid from '@fullcalendar/react/timegrid'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import type { Post } from '../../api/client'
import { useRights } from '../../api/session'
import { dateOf, dayOf } from '../../parts/dates'
import { standing } from '../../parts/post'
import type { CalendarView } from '../../router'
import { useWords } from '../../words'
import { Chip } from './Chip'
import { eventsOf, type Shown } from './events'
import { useMove } from './move'
import { hourOf } from './range'
import { searchOf, type Slot } from './slots'

const viewTypes: Record<CalendarView, string> = { month: 'dayGridMonth', week: 'timeGridWeek', day: 'timeGridDay', list: 'posts' }

type GridProps = { view: CalendarView; day: string; posts: Post[]; slots: Slot[]; busy: boolean; go: (view: CalendarView, date: string) => void }

// Grid shows posts at their times. Those that can still change are dragged to others.
export function Grid({ view, day, posts, slots, busy, go }: GridProps) {
  const { t, language } = useWords()
  const navigate = useNavigate()
  const move = useMove()
  const may = useRights()
  const calendar = useRef<CalendarRef>(null)
  useEffect(() => {
    queueMicrotask(() => calendar.current?.getApi().changeView(viewTypes[view], dayOf(day)))
  }, [view, day])
  const events = useMemo(() => eventsOf(view, posts, slots, { t, may }), [view, posts, slots, t, may])
  const open = (shown: Shown, id: string) => {
    if ('post' in shown) void navigate({ to: '/posts/$id', params: { id } })
    else if ('slot' in shown) void navigate({ to: '/compose', search: searchOf(shown.slot) })
    else go('day', id)
  }
  return (
    <div className={`cal cal-${view}`} aria-busy={busy}>
      <FullCalendar
        ref={calendar}
        plugins={[dayGrid, timeGrid, list, interaction]}
        views={{ timeGridWeek: { navLinks: false }, timeGridDay: { navLinks: false, eventMaxStack: window.innerWidth > 860 ? 4 : 2 }, posts: { type: 'list', duration: { days: 14 } } }}
        initialView={viewTypes[view]} initialDate={dayOf(day)}
        locales={[german]} locale={language === 'de' ? 'de' : 'en-gb'} firstDay={1}
        headerToolbar={false} height={view === 'month' || view === 'list' ? 'auto' : '100%'}
        fixedWeekCount={false} eventMaxStack={2} nowIndicator allDaySlot={false}
        scrollTime={hourOf(view, day)} slotDuration="00:30:00" slotMinHeight={27} slotHeaderInterval="01:00:00" slotHeaderFormat={{ hour: '2-digit', minute: '2-digit', hour12: false }}
        eventDisplay="block" displayEventEnd={false} defaultTimedEventDuration="00:30:00" forceEventDuration eventDurationEditable={false} slotEventOverlap={false}
        dragRevertDuration={150} eventDragMinDistance={6} longPressDelay={350} snapDuration="00:05:00"
        events={events}
        eventContent={(info) => <Chip of={shownBy(info)} start={info.event.start} marks={view === 'list' || view === 'day' ? 3 : 1} />}
        eventClick={(info) => {
          if (info.jsEvent.ctrlKey || info.jsEvent.metaKey) return
          info.jsEvent.preventDefault()
          open(shownBy(info), info.event.id)
        }}
        eventDrop={(info) => { if (info.event.start) void move(info.event.extendedProps['post'] as Post, info.event.start, info.revert) }}
        dateClick={(info) => { if (may('author') && info.date > new Date(new Date().setHours(0, 0, 0, 0))) void navigate({ to: '/compose', search: { at: startOf(info.date, view) } }) }}
        moreLinkClick={(info) => { go(view === 'day' ? 'list' : 'day', dateOf(info.date)); return 'none' }}
        moreLinkContent={(info) => t('calendar.more', { n: info.num })}
        navLinks navLinkDayClick={(date) => go('day', dateOf(date))}
        noEventsContent={() => ''}
        className="fc" viewClass="fc-view" eventClass={classOf}
        eventInnerClass="ev-in"
        rowEventClass="ev-row" columnEventClass="ev-col" listItemEventClass="ev-item"
        dayHeaderClass={(info) => `fc-head ${info.isToday ? 'is-today' : ''}`} dayHeaderInnerClass="fc-head-in" dayHeaderRowClass="fc-headrow"
        dayRowClass="fc-row"
        dayCellClass={(info) => `fc-cell ${info.isToday ? 'is-today' : ''} ${info.isOther ? 'is-other' : ''} ${info.isPast ? 'is-past' : ''}`}
        dayCellTopClass="fc-celltop" dayCellTopInnerClass="fc-num" dayCellInnerClass="fc-cell-in"
        columnMoreLinkClass="fc-more fc-more-col"
        dayLaneClass={(info) => `fc-lane ${info.isToday ? 'is-today' : ''}`} slotLaneClass={(info) => `fc-slot ${info.isMinor ? 'is-minor' : ''}`}
        slotHeaderClass="fc-slothead" slotHeaderInnerClass="fc-slothead-in" slotHeaderDividerClass="fc-divider"
        nowIndicatorLineClass="fc-now" nowIndicatorDotClass="fc-nowdot"
        listDayClass="fc-day" listDayHeaderClass="fc-dayhead" listDayHeaderInnerClass="fc-dayhead-in" listDayBodyClass="fc-daybody"
        highlightClass="fc-target"
      />
    </div>
  )
}

const shownBy = (info: { event: EventApi }) => info.event.extendedProps as Shown

function classOf(info: EventDisplayInfo): string {
  const shown = shownBy(info)
  if ('post' in shown) return `ev ${info.isDragging ? 'ev-drag' : ''} ev-${standing(shown.post)}`
  return 'slot' in shown ? 'ev ev-free' : 'ev ev-more'
}

// startOf is when a post is to go out that is begun by a click: a day alone names no hour, so it is nine, or
// in an hour where that has passed.
function startOf(at: Date, view: CalendarView): string {
  if (view !== 'month') return at.toISOString()
  const nine = new Date(at.getFullYear(), at.getMonth(), at.getDate(), 9)
  return new Date(Math.max(nine.getTime(), Math.ceil(Date.now() / 3_600_000 + 0.1) * 3_600_000)).toISOString()
}
