import type { ReactNode } from 'react'
import { useWords } from '../words'

export type Status = 'draft' | 'scheduled' | 'processing' | 'pending' | 'posted' | 'partially_failed' | 'failed' | 'cancelled' | 'held' | 'unknown' | 'delivered'

const ring = <circle cx="7" cy="7" r="5" fill="none" stroke="currentColor" strokeWidth="1.6" />
const clock = <>{ring}<path d="M7 4.4V7l1.7 1.2" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" /></>
const tick = <><circle cx="7" cy="7" r="5.8" fill="currentColor" /><path d="m4.5 7.2 1.8 1.8 3.3-3.7" fill="none" stroke="var(--surface)" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" /></>

// shapes tell states apart without colour.
const shapes: Record<Status, ReactNode> = {
  draft: <circle cx="7" cy="7" r="5" fill="none" stroke="currentColor" strokeWidth="1.6" strokeDasharray="2.2 1.8" />,
  scheduled: clock,
  pending: clock,
  processing: <>{ring}<path d="M7 4.2a2.8 2.8 0 0 1 0 5.6z" fill="currentColor" /></>,
  posted: tick,
  delivered: tick,
  partially_failed: <><path d="M7 1.2 13.2 12.4H.8z" fill="currentColor" /><path d="M7 5.2v3M7 10.3h.01" stroke="var(--surface)" strokeWidth="1.5" strokeLinecap="round" /></>,
  unknown: <><path d="M7 1.2 13.2 12.4H.8z" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" /><path d="M7 5.4v3M7 10.4h.01" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" /></>,
  failed: <><rect x="2.2" y="2.2" width="9.6" height="9.6" rx="1.4" fill="currentColor" transform="rotate(45 7 7)" /><path d="m5.3 5.3 3.4 3.4M8.7 5.3 5.3 8.7" stroke="var(--surface)" strokeWidth="1.5" strokeLinecap="round" /></>,
  cancelled: <>{ring}<path d="m3.8 10.2 6.4-6.4" stroke="currentColor" strokeWidth="1.6" /></>,
  held: <><rect x="1.5" y="1.5" width="11" height="11" rx="3" fill="none" stroke="currentColor" strokeWidth="1.5" /><path d="M5.4 4.9v4.2M8.6 4.9v4.2" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" /></>,
}

// StatusShape shows a state, and says it to those who do not see it.
export function StatusShape({ status, size = 14 }: { status: Status; size?: number }) {
  const { t } = useWords()
  return (
    <svg className="state" data-status={status} width={size} height={size} viewBox="0 0 14 14" role="img" aria-label={t(`status.${status}`)}>
      {shapes[status]}
    </svg>
  )
}

const tones: Partial<Record<Status, string>> = {
  scheduled: 'calm', pending: 'calm', processing: 'calm', posted: 'good', delivered: 'good',
  failed: 'bad', partially_failed: 'warn', held: 'warn', unknown: 'warn',
}

export function StatusPill({ status }: { status: Status }) {
  const { t } = useWords()
  return <span className={`pill ${tones[status] ?? ''}`}>{t(`status.${status}`)}</span>
}
