import { Icon } from '../../parts/Icon'
import { Marks } from '../../parts/platforms'
import { excerpt, standing } from '../../parts/post'
import { StatusShape } from '../../parts/Status'
import { useWords } from '../../words'
import type { Shown } from './events'

// Chip is a post, a free place or what there is no room for, on the calendar, with as many platforms' marks as there is room for.
export function Chip({ of, start, marks }: { of: Shown; start: Date | null; marks: number }) {
  const { t, time } = useWords()
  if ('more' in of) return <span className="chip-more">{t('calendar.more', { n: of.more })}</span>
  const clock = <span className="chip-time numbers">{start ? time.clock(start) : ''}</span>
  if ('slot' in of) {
    return <span className="chip"><Icon name="plus" size={12} />{clock}<span className="chip-text">{t('calendar.free', { queue: of.slot.queue })}</span></span>
  }
  return (
    <span className="chip" title={excerpt(of.post, t)}>
      <StatusShape status={standing(of.post)} size={12} />
      {clock}
      <Marks of={of.post.platforms.map((p) => p.platform)} most={marks} />
      <span className="chip-text">{excerpt(of.post, t)}</span>
    </span>
  )
}
