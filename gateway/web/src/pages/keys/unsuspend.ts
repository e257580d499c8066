import { useQueryClient } from '@tanstack/react-query'
import { api, ask, type Key } from '../../api/client'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

// useUnsuspend returns what ends the suspension of a key before its time, and says so.
export function useUnsuspend() {
  const { t } = useWords()
  const client = useQueryClient()
  const { fail, show } = useToast()
  return async ({ id, name }: Key) => {
    try {
      await ask(api.POST('/keys/{id}/unsuspend', { params: { path: { id } } }))
      await client.invalidateQueries({ queryKey: ['keys'] })
      show({ tone: 'good', text: t('keys.unsuspended', { name }) })
    } catch (error) {
      fail(error)
    }
  }
}
