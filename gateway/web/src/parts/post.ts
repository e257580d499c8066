import type { Post, Target } from '../api/client'
import type { Role } from '../api/session'
import type { Say } from '../words'
import type { Status } from './Status'

// excerpt is what a post is called where there is room for a line.
export function excerpt(post: Post, t: Say): string {
  const text = post.content || post.platforms.find((p) => p.contentOverride)?.contentOverride
  return text?.replace(/\s+/g, ' ').trim() || t(post.mediaItems.length > 0 ? 'post.onlyMedia' : 'post.empty')
}

// isUnknown tells whether it may be published or not: the answer of a call was lost.
export const isUnknown = (target: Target) => target.status !== 'posted' && target.error?.code === 'outcome_unknown'

// standing is a post's state, or that of it on one account, as people need to know it: what is held or open
// is that first of all.
export function standing(of: Post | Target): Status {
  const targets = 'platforms' in of ? of.platforms : [of]
  if (targets.some((p) => p.held)) return 'held'
  return targets.some(isUnknown) ? 'unknown' : of.status
}

// failedTargets are those that a retry is about.
export const failedTargets = (post: Post) => post.platforms.filter((p) => p.status === 'failed')

// changer is the least role that changes it.
export const changer = (post: Post): Role => (post.status === 'draft' ? 'author' : 'editor')

// isMovable tells whether its time can be changed.
export const isMovable = (post: Post) => post.status === 'draft' || post.status === 'scheduled'
