import { useQueries, useQuery } from '@tanstack/react-query'
import { queues, slotsOf } from '../../api/queries'

// Slot is a free place of a queue. What goes into the queue next gets the first.
export type Slot = { at: string; queueId: string; queue: string; isNext: boolean }

// useSlots reads the free places of queues: all, or those that a brand's posts can get.
export function useSlots(brand: string | undefined): Slot[] {
  const { data = [] } = useQuery(queues)
  const shown = data.filter((q) => !brand || q.brandId === null || q.brandId === brand)
  return useQueries({
    queries: shown.map((q) => slotsOf(q.id)),
    combine: (answers) => answers.flatMap(({ data: slots = [] }, i) =>
      slots.map((at, n): Slot => ({ at, queueId: shown[i]?.id ?? '', queue: shown[i]?.name ?? '', isNext: n === 0 }))),
  })
}
