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

// Listing is a card's list, and what stands there while it is read, where it could not be, and where it is empty. What
// has been read stays where it cannot be read again.
export function Listing<T>({ query, items, empty, children, rows = 3 }: ListingProps<T>) {
  if (query.isPending) return <Waiting rows={rows} />
  return (
    <>
      {query.error && <div className="body"><Problem error={query.error} retry={() => void query.refetch()} /></div>}
      {items && (items.length > 0 ? <ul className="list">{items.map(children)}</ul> : empty)}
    </>
  )
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
