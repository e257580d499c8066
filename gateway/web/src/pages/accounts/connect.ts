import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, ask, type Account, type PlatformName } from '../../api/client'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

// useReconnect opens the page on which an account is connected again.
export function useReconnect() {
  const client = useQueryClient()
  const { t } = useWords()
  const { fail, show } = useToast()
  return async (account: Account) => {
    const page = window.open('', '_blank') // opened at once, as browsers let only a click do so
    try {
      const { health } = await ask(api.GET('/accounts/{id}/health', { params: { path: { id: account.id } } }))
      void client.invalidateQueries({ queryKey: ['accounts'] })
      if (health.reconnectUrl && page) page.location.href = health.reconnectUrl
      else {
        page?.close()
        show({ tone: 'good', text: t('accounts.works', { name: account.name }) })
      }
    } catch (error) {
      page?.close()
      fail(error)
    }
  }
}

// watch is how often it is looked whether an account has come, in milliseconds.
const watch = 2000

// useConsent opens a platform's page of consent, and notices when an account has come of it.
export function useConsent(accounts: Account[], connected: () => void) {
  const client = useQueryClient()
  const [before, setBefore] = useState<string | null>(null)
  const now = accounts.map((a) => a.id + a.needsReconnect).sort().join()
  useEffect(() => {
    if (before === null) return
    if (now !== before) {
      setBefore(null)
      connected()
      return
    }
    const timer = setInterval(() => void client.invalidateQueries({ queryKey: ['accounts'], exact: true }), watch)
    return () => clearInterval(timer)
  }, [before, now, connected, client])
  const open = async (platform: PlatformName, server?: string) => {
    const page = window.open('', '_blank')
    try {
      const { authUrl } = await ask(api.GET('/connect/{platform}', { params: { path: { platform }, query: server ? { server } : {} } }))
      if (page) page.location.href = authUrl
      else window.location.href = authUrl
      setBefore(now)
    } catch (error) {
      page?.close()
      throw error
    }
  }
  return { open, isWaiting: before !== null }
}
