import { Navigate, Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useSessionQuery } from '../api/session'
import { Problem } from '../parts/Page'
import { useToastsOf } from '../parts/toasts'
import { Shell } from './Shell'
import { ConfirmEmailPage, ResetPage } from './MailLinks'
import { SignIn } from './SignIn'

const AcceptPage = lazy(() => import('../pages/people/AcceptPage'))

// Root shows the page to those who are signed in, and the way in to others.
export function Root() {
  const session = useSessionQuery()
  const hash = useRouterState({ select: (s) => s.location.hash })
  const path = useRouterState({ select: (s) => s.location.pathname })
  const refused = useRouterState({ select: (s) => s.location.search.refused })
  useToastsOf(path)
  if (session.isPending) return null
  if (path === '/sign-in' && hash) return <SignIn token={hash} />
  if (path === '/invitations/accept' && hash) return <Suspense><AcceptPage token={hash} /></Suspense>
  if (path === '/reset' && hash) return <ResetPage token={hash} />
  if (session.error) {
    return <div className="entry"><div className="card"><Problem error={session.error} retry={() => void session.refetch()} /></div></div>
  }
  if (!session.data) return <SignIn refused={refused} />
  if (path === '/sign-in') return <Navigate to="/you" search={{ refused }} replace />
  if (path === '/confirm-email' && hash) return <ConfirmEmailPage token={hash} />
  return <Shell><Outlet /></Shell>
}
