import { useMemo, useSyncExternalStore } from 'react'
import { scopeOf } from './client'
import { useSession } from './session'

// most is how many dismissals are kept: the oldest are of what needs nobody any more.
const most = 1000

const listeners = new Set<() => void>()

function subscribe(listener: () => void) {
  listeners.add(listener)
  window.addEventListener('storage', listener) // another tab
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

function parse(kept: string | null): string[] {
  try {
    const ids: unknown = JSON.parse(kept ?? '[]')
    return Array.isArray(ids) ? ids.map(String) : []
  } catch {
    return []
  }
}

// useDismissed is what somebody has put aside in this browser, of the workspace and mode that are shown.
export function useDismissed() {
  const session = useSession()
  const key = `crier.dismissed.${session.user.id}.${scopeOf(session)}`
  const kept = useSyncExternalStore(subscribe, () => localStorage.getItem(key))
  return useMemo(() => {
    const change = (of: (ids: string[]) => string[]) => {
      localStorage.setItem(key, JSON.stringify(of(parse(localStorage.getItem(key))).slice(-most)))
      listeners.forEach((listener) => listener())
    }
    return {
      ids: new Set(parse(kept)),
      dismiss: (id: string) => change((ids) => [...ids, id]),
      restore: (id: string) => change((ids) => ids.filter((one) => one !== id)),
    }
  }, [key, kept])
}
