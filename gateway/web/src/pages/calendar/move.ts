import { useQueryClient } from '@tanstack/react-query'
import { api, ask, type Post } from '../../api/client'
import { useAccounts } from '../../api/queries'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

// useMove returns what moves a post to another time. It is shown there at once; where the API refuses it goes
// back, and the API's words say why.
export function useMove() {
  const client = useQueryClient()
  const { t, time } = useWords()
  const { show, fail } = useToast()
  const { byId } = useAccounts()
  const put = async (post: Post, scheduledFor: string) => {
    client.setQueriesData<Post[]>({ queryKey: ['posts'] }, (all) =>
      Array.isArray(all) ? all.map((p) => (p.id === post.id ? { ...p, scheduledFor } : p)) : all)
    try {
      await ask(api.PATCH('/posts/{id}', { params: { path: { id: post.id } }, body: { scheduledFor, timezone: post.timezone } }))
    } finally {
      await client.invalidateQueries({ queryKey: ['posts'] })
      await client.invalidateQueries({ queryKey: ['post', post.id] })
    }
  }
  const sentenceOf = (post: Post, to: Date) => {
    const names = post.platforms.flatMap((p) => { const account = byId.get(p.accountId); return account?.paused ? [account.name] : [] }).join(', ')
    return names ? t('calendar.movedToWait', { time: time.full(to), names }) : t('calendar.moved', { time: time.full(to) })
  }
  return async (post: Post, to: Date, revert: () => void) => {
    const before = post.scheduledFor
    try {
      await put(post, to.toISOString())
    } catch (error) {
      revert()
      fail(error)
      return
    }
    show({
      tone: 'good', text: sentenceOf(post, to),
      action: before ? { label: t('undo'), run: () => void put(post, before).catch(fail) } : undefined,
    })
  }
}
