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

// isRefused tells whether the platform said no to what the post is: sent as it is, it is likely to be refused again.
export const isRefused = (target: Target) => target.status === 'failed' && target.error?.code === 'platform_refused'

// standing is a post's state, or that of it on one account, as people need to know it: what is held or open
// is that first of all.
export function standing(of: Post | Target): Status {
  const targets = 'platforms' in of ? of.platforms : [of]
  if (targets.some((p) => p.held)) return 'held'
  return targets.some(isUnknown) ? 'unknown' : of.status
}

// isRetriable tells whether a retry is taken: only once the post has ended everywhere.
export const isRetriable = (post: Post) => post.status === 'failed' || post.status === 'partially_failed'

// failedTargets are those that a retry is about.
export const failedTargets = (post: Post) => post.platforms.filter((p) => p.status === 'failed')

// resendable are the targets that a changed post can be sent to with nothing there twice. A thread that failed may be
// there in part.
export const resendable = (post: Post) => (post.threadId ? [] : post.platforms.filter(isRefused))

// changer is the least role that changes it.
export const changer = (post: Post): Role => (post.status === 'draft' ? 'author' : 'editor')

// isMovable tells whether its time can be changed.
export const isMovable = (post: Post) => post.status === 'draft' || post.status === 'scheduled'
