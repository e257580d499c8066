import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWords } from '../words'
import { Problem, Waiting } from './Page'

type ListingProps<T> = {
  query: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>
  items: T[] | undefined
  empty: ReactNode
  children: (item: T) => ReactNode
  rows?: number // that stand there while it is read
}

// Listing is a card's list, and what stands there while it is read, where it could not be, and where it is empty.
export function Listing<T>({ query, items = [], empty, children, rows = 3 }: ListingProps<T>) {
  if (query.isPending) return <Waiting rows={rows} />
  if (query.error) return <div className="body"><Problem error={query.error} retry={() => void query.refetch()} /></div>
  if (items.length === 0) return empty
  return <ul className="list">{items.map(children)}</ul>
}

// More reads the next page of a list, where there is one.
export function More({ of }: { of: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'> }) {
  const { t } = useWords()
  if (!of.hasNextPage) return null
  return (
    <div className="row more">
      <button className="btn low" disabled={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>{t('more')}</button>
    </div>
  )
}
