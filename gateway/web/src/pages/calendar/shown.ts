import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { Post } from '../../api/client'
import { postsOf, useAccounts } from '../../api/queries'
import { useMay } from '../../api/session'
import { standing } from '../../parts/post'
import type { CalendarSearch, CalendarView } from '../../router'
import { around } from './range'
import { useSlots } from './slots'

// mostOfList is how many lines of a list are drawn until more are asked for.
export const mostOfList = 150

// useShown reads what a view shows: the posts that match, in a list the first of them alone, and free places, which
// a view that looks for something has none of.
export function useShown(search: CalendarSearch, view: CalendarView, day: string) {
  const range = useMemo(() => around(view, day), [view, day])
  const posts = useQuery(postsOf({ ...range, q: search.q }))
  const matching = useMatching(posts.data, search)
  const slots = useSlots(search.brand)
  const mayPublish = useMay('editor')
  const [most, setMost] = useState(mostOfList)
  useEffect(() => setMost(mostOfList), [range])
  const atMost = view === 'list' ? most : Infinity
  const drawn = useMemo(() => matching.slice(0, atMost), [matching, atMost])
  const isLooking = Boolean(search.q || search.platform || search.account || search.status)
  const free = useMemo(
    () => (isLooking || !mayPublish ? [] : slots.filter(({ at }) => at >= range.after && at <= range.before).slice(0, atMost)),
    [isLooking, mayPublish, slots, range, atMost],
  )
  return {
    posts, drawn, free, isFiltered: isLooking || Boolean(search.brand),
    rest: matching.length - drawn.length, showMore: () => setMost(most + mostOfList),
  }
}

function useMatching(posts: Post[] = noPosts, search: CalendarSearch): Post[] {
  const { all } = useAccounts()
  return useMemo(() => {
    const ofBrand = new Set(all.filter((a) => a.brandId === search.brand).map((a) => a.id))
    return posts.filter((p) => p.scheduledFor && matches(p, search, ofBrand))
  }, [posts, search, all])
}

const noPosts: Post[] = []

function matches(post: Post, { platform, account, brand, status }: CalendarSearch, ofBrand: Set<string>): boolean {
  return (!status || standing(post) === status || post.status === status) &&
    (!brand || post.brandId === brand || post.platforms.some((p) => ofBrand.has(p.accountId))) &&
    (!platform || post.platforms.some((p) => p.platform === platform)) &&
    (!account || post.platforms.some((p) => p.accountId === account))
}
