import type { Post } from '../../api/client'
import type { Role } from '../../api/session'
import { dateOf } from '../../parts/dates'
import { changer, excerpt, isMovable } from '../../parts/post'
import type { CalendarView } from '../../router'
import type { Say } from '../../words'
import { searchOf, type Slot } from './slots'

// Shown is what an event of the calendar stands for: a post, a free place of a queue, or what there is no room for.
export type Shown = { post: Post } | { slot: Slot } | { more: number }

// mostOfDay is how many lines a day of a month has.
const mostOfDay = 5

// mostFree is how many of them are free places at most: there may be more of these than of posts.
const mostFree = 2

// eventsOf are posts and free places as the calendar takes them.
export function eventsOf(view: CalendarView, posts: Post[], slots: Slot[], { t, may }: { t: Say; may: (role: Role) => boolean }) {
  const { shown, more, free } = view === 'month' ? thinned(posts, slots) : { shown: posts, more: [], free: slots }
  return [
    ...shown.map((post) => ({
      id: post.id, start: post.scheduledFor, title: excerpt(post, t), editable: isMovable(post) && may(changer(post)), url: `/posts/${post.id}`,
      extendedProps: { post } as Shown,
    })),
    ...free.map((slot) => ({
      id: slot.queueId + slot.at, start: slot.at, title: t('calendar.free', { queue: slot.queue }), editable: false, url: addressOf(slot),
      extendedProps: { slot } as Shown,
    })),
    ...more.map(({ date, count }) => ({
      id: date, start: `${date}T23:59:59.999`, title: t('calendar.more', { n: count }), editable: false, url: `/calendar?view=day&date=${date}`,
      extendedProps: { more: count } as Shown,
    })),
  ]
}

const addressOf = (slot: Slot) => '/compose?' + new URLSearchParams(Object.entries(searchOf(slot))).toString()

// thinned leaves of each day as many posts as there is room for, and counts the others: what is not seen is
// not drawn, and a month of thousands is as quick as one of a hundred. Places are shown where room is left.
function thinned(posts: Post[], slots: Slot[]) {
  const days = new Map<string, Post[]>()
  for (const post of posts) {
    const date = dateOf(new Date(post.scheduledFor ?? 0))
    const of = days.get(date)
    if (of) of.push(post)
    else days.set(date, [post])
  }
  const room = new Map<string, number>()
  const free = slots.filter(({ at }) => {
    const date = dateOf(new Date(at))
    const left = (room.get(date) ?? Math.min(mostFree, mostOfDay - (days.get(date)?.length ?? 0))) - 1
    room.set(date, left)
    return left >= 0
  })
  const crowded = [...days].filter(([, of]) => of.length > mostOfDay)
  return {
    shown: [...days.values()].flatMap((of) => (of.length > mostOfDay ? of.slice(0, mostOfDay - 1) : of)),
    more: crowded.map(([date, of]) => ({ date, count: of.length - mostOfDay + 1 })), free,
  }
}
