import type { Post } from '../api/client'
import type { Say } from '../words'
import type { Status } from './Status'

// excerpt is what a post is called where there is room for a line.
export function excerpt(post: Post, t: Say): string {
  const text = post.content || post.platforms.find((p) => p.contentOverride)?.contentOverride
  return text?.replace(/\s+/g, ' ').trim() || t(post.mediaItems.length > 0 ? 'post.onlyMedia' : 'post.empty')
}

// standing is a post's state as people need to know it: what is held or open is that first of all.
export function standing(post: Post): Status {
  if (post.platforms.some((p) => p.held)) return 'held'
  if (post.status !== 'posted' && post.platforms.some((p) => p.error?.code === 'outcome_unknown')) return 'unknown'
  return post.status
}

// isMovable tells whether its time can be changed.
export const isMovable = (post: Post) => (post.status === 'draft' || post.status === 'scheduled') && !post.threadId
