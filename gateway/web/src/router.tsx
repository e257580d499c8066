import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { Missing } from './parts/Missing'
import { Root } from './shell/Root'

const root = createRootRoute({ component: Root, notFoundComponent: Missing })

// text takes a value of an address's search as text, and nothing else.
const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined

export const calendarViews = ['month', 'week', 'day', 'list'] as const
export type CalendarView = (typeof calendarViews)[number]

export type CalendarSearch = {
  view?: CalendarView
  date?: string // of the day that is shown, YYYY-MM-DD
  q?: string
  platform?: string
  account?: string
  status?: string
}

export type ComposeSearch = {
  edit?: string // id of the post that is changed
  copy?: string // id of one that is begun from
  at?: string // when it is to go out
}

const routes = [
  createRoute({ getParentRoute: () => root, path: '/', beforeLoad: () => { throw redirect({ to: '/calendar', replace: true }) } }),
  createRoute({ getParentRoute: () => root, path: '/sign-in', beforeLoad: ({ location }) => { if (!location.hash) throw redirect({ to: '/calendar', replace: true }) } }),
  createRoute({
    getParentRoute: () => root, path: '/calendar',
    validateSearch: (s: Record<string, unknown>): CalendarSearch => ({
      view: calendarViews.find((v) => v === s['view']), date: text(s['date']), q: text(s['q']), platform: text(s['platform']), account: text(s['account']), status: text(s['status']),
    }),
    component: lazyRouteComponent(() => import('./pages/calendar/CalendarPage'), 'CalendarPage'),
  }),
  createRoute({ getParentRoute: () => root, path: '/drafts', component: lazyRouteComponent(() => import('./pages/calendar/DraftsPage'), 'DraftsPage') }),
  createRoute({ getParentRoute: () => root, path: '/needs', component: lazyRouteComponent(() => import('./pages/needs/NeedsPage'), 'NeedsPage') }),
  createRoute({ getParentRoute: () => root, path: '/posts/$id', component: lazyRouteComponent(() => import('./pages/post/PostPage'), 'PostPage') }),
  createRoute({
    getParentRoute: () => root, path: '/compose',
    validateSearch: (s: Record<string, unknown>): ComposeSearch => ({ edit: text(s['edit']), copy: text(s['copy']), at: text(s['at']) }),
    component: lazyRouteComponent(() => import('./pages/compose/ComposePage'), 'ComposePage'),
  }),
  createRoute({ getParentRoute: () => root, path: '/accounts', component: lazyRouteComponent(() => import('./pages/accounts/AccountsPage'), 'AccountsPage') }),
  createRoute({ getParentRoute: () => root, path: '/webhooks', component: lazyRouteComponent(() => import('./pages/webhooks/WebhooksPage'), 'WebhooksPage') }),
  createRoute({ getParentRoute: () => root, path: '/webhooks/$id', component: lazyRouteComponent(() => import('./pages/webhooks/WebhookPage'), 'WebhookPage') }),
  createRoute({ getParentRoute: () => root, path: '/keys', component: lazyRouteComponent(() => import('./pages/keys/KeysPage'), 'KeysPage') }),
  createRoute({
    getParentRoute: () => root, path: '/device',
    validateSearch: (s: Record<string, unknown>): { code?: string } => ({ code: text(s['code']) }),
    component: lazyRouteComponent(() => import('./pages/device/DevicePage'), 'DevicePage'),
  }),
  createRoute({ getParentRoute: () => root, path: '/you', component: lazyRouteComponent(() => import('./pages/you/YouPage'), 'YouPage') }),
]

export const router = createRouter({ routeTree: root.addChildren(routes), defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
