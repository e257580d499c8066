import { useQueries, useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../api/client'
import { queues, slotsOf } from '../../api/queries'

// Slot is a free place of a queue. What goes into the queue next gets the first.
export type Slot = { at: string; queueId: string; queue: string; isNext: boolean }

// placesOf are a queue's free places, by their times in order.
export const placesOf = (queue: Schemas['Queue'], times: string[]): Slot[] =>
  times.map((at, n) => ({ at, queueId: queue.id, queue: queue.name, isNext: n === 0 }))

// searchOf begins a post for a place: by the queue where it gives that one out next, else at its time.
export const searchOf = (slot: Slot): { queue?: string; at?: string } => (slot.isNext ? { queue: slot.queueId } : { at: slot.at })

// useSlots reads the free places of queues: all, or those that a brand's posts can get.
export function useSlots(brand: string | undefined): Slot[] {
  const { data = [] } = useQuery(queues)
  const shown = data.filter((q) => !brand || q.brandId === null || q.brandId === brand)
  return useQueries({
    queries: shown.map((q) => slotsOf(q.id)),
    combine: (answers) => shown.flatMap((queue, i) => placesOf(queue, answers[i]?.data ?? [])),
  })
}
