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
import { dateOf } from '../../parts/dates'
import { Marks } from '../../parts/platforms'
import { changer, excerpt, isMovable, standing } from '../../parts/post'
import { StatusShape } from '../../parts/Status'
import type { CalendarView } from '../../router'
import { useWords } from '../../words'
import { useMove } from './move'
import { dayOf } from './range'

const viewTypes: Record<CalendarView, string> = { month: 'dayGridMonth', week: 'timeGridWeek', day: 'timeGridDay', list: 'posts' }

type GridProps = { view: CalendarView; day: string; posts: Post[]; busy: boolean; toDay: (date: string) => void }

// Grid shows posts at their times. Those that can still change are dragged to others.
export function Grid({ view, day, posts, busy, toDay }: GridProps) {
  const { t, language, time } = useWords()
  const navigate = useNavigate()
  const move = useMove()
  const may = useRights()
  const calendar = useRef<CalendarRef>(null)
  useEffect(() => {
    queueMicrotask(() => calendar.current?.getApi().changeView(viewTypes[view], dayOf(day)))
  }, [view, day])
  const events = useMemo(
    () => {
      const { shown, more } = view === 'month' ? thinned(posts) : { shown: posts, more: [] }
      return [
        ...shown.map((post) => ({
          id: post.id, start: post.scheduledFor, title: excerpt(post, t), editable: isMovable(post) && may(changer(post)), extendedProps: { post },
          url: `/posts/${post.id}`,
        })),
        ...more.map(({ date, count }) => ({
          id: date, start: `${date}T23:59:59.999`, editable: false, extendedProps: { count }, url: `/calendar?view=day&date=${date}`,
        })),
      ]
    },
    [posts, t, may, view],
  )
  const open = (id: string) => void navigate({ to: '/posts/$id', params: { id } })
  return (
    <div className={`cal cal-${view}`} aria-busy={busy}>
      <FullCalendar
        ref={calendar}
        plugins={[dayGrid, timeGrid, list, interaction]}
        views={{ timeGridWeek: { navLinks: false }, timeGridDay: { navLinks: false }, posts: { type: 'list', duration: { days: 14 } } }}
        initialView={viewTypes[view]} initialDate={dayOf(day)}
        locales={[german]} locale={language === 'de' ? 'de' : 'en-gb'} firstDay={1}
        headerToolbar={false} height={view === 'month' || view === 'list' ? 'auto' : '100%'}
        fixedWeekCount={false} eventMaxStack={2} nowIndicator allDaySlot={false}
        scrollTime="07:00:00" slotDuration="00:30:00" slotHeaderInterval="01:00:00" slotHeaderFormat={{ hour: '2-digit', minute: '2-digit', hour12: false }}
        eventDisplay="block" displayEventEnd={false} defaultTimedEventDuration="00:30:00" forceEventDuration eventDurationEditable={false} slotEventOverlap={false}
        dragRevertDuration={150} eventDragMinDistance={6} longPressDelay={350} snapDuration="00:05:00"
        events={events}
        eventContent={(info) => {
          const post = postOf(info)
          return post ? <Chip post={post} clock={info.event.start ? time.clock(info.event.start) : ''} /> : <span className="chip-more">{t('calendar.more', { n: info.event.extendedProps['count'] as number })}</span>
        }}
        eventClick={(info) => {
          if (info.jsEvent.ctrlKey || info.jsEvent.metaKey) return
          info.jsEvent.preventDefault()
          if (postOf(info)) open(info.event.id)
          else toDay(info.event.id)
        }}
        eventDrop={(info) => { if (info.event.start) void move(info.event.extendedProps['post'] as Post, info.event.start, info.revert) }}
        dateClick={(info) => { if (may('author') && info.date > new Date(new Date().setHours(0, 0, 0, 0))) void navigate({ to: '/compose', search: { at: startOf(info.date, view) } }) }}
        moreLinkClick={(info) => { toDay(dateOf(info.date)); return 'none' }}
        moreLinkContent={(info) => t('calendar.more', { n: info.num })}
        navLinks navLinkDayClick={(date) => toDay(dateOf(date))}
        noEventsContent={() => ''}
        className="fc" viewClass="fc-view" eventClass={(info: EventDisplayInfo) => { const post = postOf(info); return post ? `ev ${info.isDragging ? 'ev-drag' : ''} ev-${standing(post)}` : 'ev ev-more' }}
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

const postOf = (info: { event: EventApi }) => info.event.extendedProps['post'] as Post | undefined

// mostOfDay is how many lines a day of a month has.
const mostOfDay = 5

// thinned leaves of each day as many posts as there is room for, and counts the others: what is not seen is
// not drawn, and a month of thousands is as quick as one of a hundred.
function thinned(posts: Post[]) {
  const days = new Map<string, Post[]>()
  for (const post of posts) {
    const date = dateOf(new Date(post.scheduledFor ?? 0))
    const of = days.get(date)
    if (of) of.push(post)
    else days.set(date, [post])
  }
  const crowded = [...days].filter(([, of]) => of.length > mostOfDay)
  return {
    shown: [...days.values()].flatMap((of) => (of.length > mostOfDay ? of.slice(0, mostOfDay - 1) : of)),
    more: crowded.map(([date, of]) => ({ date, count: of.length - mostOfDay + 1 })),
  }
}

// startOf is when a post is to go out that is begun by a click: a day alone names no hour, so it is nine, or
// in an hour where that has passed.
function startOf(at: Date, view: CalendarView): string {
  if (view !== 'month') return at.toISOString()
  const nine = new Date(at.getFullYear(), at.getMonth(), at.getDate(), 9)
  return new Date(Math.max(nine.getTime(), Math.ceil(Date.now() / 3_600_000 + 0.1) * 3_600_000)).toISOString()
}

function Chip({ post, clock }: { post: Post; clock: string }) {
  const { t } = useWords()
  return (
    <span className="chip">
      <StatusShape status={standing(post)} size={12} />
      <span className="chip-time numbers">{clock}</span>
      <Marks of={post.platforms.map((p) => p.platform)} most={3} />
      <span className="chip-text">{excerpt(post, t)}</span>
    </span>
  )
}
