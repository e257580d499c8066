import { useRouter } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { scopeOf, showScope, type Session } from '../api/client'
import { isTurnedHere } from '../api/session'
import { useToast } from '../parts/toasts'
import { useWords, type Say } from '../words'

// id is that of a thing, as addresses of pages have it.
const id = /[a-z]+_[0-9a-hjkmnp-tv-z]{26}/

// useScope has requests say what the page shows. Once the session is turned, it leaves what is not there, and says so
// where it was another tab that turned it.
export function useScope(session: Session) {
  const { t } = useWords()
  const { show } = useToast()
  const router = useRouter()
  const scope = scopeOf(session)
  const before = useRef(session)
  // Before any effect of the page asks for something.
  useLayoutEffect(() => {
    showScope(scope)
    return () => showScope('')
  }, [scope])
  useEffect(() => {
    const was = before.current
    before.current = session
    if (scopeOf(was) === scope) return
    if (id.test(router.state.location.href)) void router.navigate({ to: '/calendar' })
    if (!isTurnedHere(scope)) show({ tone: 'good', text: turned(was, session, t) })
  }, [session, scope, router, show, t])
}

function turned(was: Session, now: Session, t: Say): string {
  if (was.workspace?.id !== now.workspace?.id) return t('workspace.turned', { name: now.workspace?.name ?? t('workspace.none') })
  return t(now.test ? 'mode.turnedToTest' : 'mode.turnedToLive')
}
