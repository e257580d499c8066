import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { placeBefore } from './api/signin'
import { Broken, Missing } from './parts/Missing'
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
  brand?: string
  status?: string
}

export type AuditSearch = {
  actor?: string // id or kind
  action?: string // whole, or its first part
  subject?: string // id or type
  from?: string // the first day, YYYY-MM-DD, in the reader's zone
  to?: string // the last day
}

export type ComposeSearch = {
  edit?: string // id of the post that is changed
  copy?: string // id of one that is begun from
  only?: 'refused' // of a copy, the accounts alone whose platforms refused the post
  at?: string // when it is to go out
  queue?: string // id of the queue that it is for
}

// needsToken leads elsewhere where what stands after # is missing.
const needsToken = ({ location }: { location: { hash: string } }) => { if (!location.hash) throw redirect({ to: '/calendar', replace: true }) }

// refusal is why an issuer's answer did not do, on the pages that people come back to.
const refusal = (s: Record<string, unknown>): { refused?: string } => ({ refused: text(s['refused']) })

const routes = [
  createRoute({ getParentRoute: () => root, path: '/', beforeLoad: () => { throw redirect({ to: placeBefore() ?? '/calendar', replace: true }) } }),
  createRoute({
    getParentRoute: () => root, path: '/sign-in', validateSearch: refusal,
    beforeLoad: ({ location, search }) => { if (!location.hash && !search.refused) throw redirect({ to: '/calendar', replace: true }) },
  }),
  createRoute({ getParentRoute: () => root, path: '/invitations/accept', beforeLoad: needsToken }),
  createRoute({ getParentRoute: () => root, path: '/reset', beforeLoad: needsToken }),
  createRoute({ getParentRoute: () => root, path: '/confirm-email', beforeLoad: needsToken }),
  createRoute({
    getParentRoute: () => root, path: '/calendar',
    validateSearch: (s: Record<string, unknown>): CalendarSearch => ({
      view: calendarViews.find((v) => v === s['view']), date: text(s['date']), q: text(s['q']), platform: text(s['platform']), account: text(s['account']), brand: text(s['brand']), status: text(s['status']),
    }),
    component: lazyRouteComponent(() => import('./pages/calendar/CalendarPage'), 'CalendarPage'),
  }),
  createRoute({ getParentRoute: () => root, path: '/drafts', component: lazyRouteComponent(() => import('./pages/calendar/DraftsPage'), 'DraftsPage') }),
  createRoute({ getParentRoute: () => root, path: '/needs', component: lazyRouteComponent(() => import('./pages/needs/NeedsPage'), 'NeedsPage') }),
  createRoute({ getParentRoute: () => root, path: '/posts/$id', component: lazyRouteComponent(() => import('./pages/post/PostPage'), 'PostPage') }),
  createRoute({
    getParentRoute: () => root, path: '/compose',
    validateSearch: (s: Record<string, unknown>): ComposeSearch => ({ edit: text(s['edit']), copy: text(s['copy']), only: s['only'] === 'refused' ? 'refused' : undefined, at: text(s['at']), queue: text(s['queue']) }),
    component: lazyRouteComponent(() => import('./pages/compose/ComposePage'), 'ComposePage'),
  }),
  createRoute({ getParentRoute: () => root, path: '/accounts', component: lazyRouteComponent(() => import('./pages/accounts/AccountsPage'), 'AccountsPage') }),
  createRoute({ getParentRoute: () => root, path: '/brands', component: lazyRouteComponent(() => import('./pages/brands/BrandsPage'), 'BrandsPage') }),
  createRoute({ getParentRoute: () => root, path: '/queues', component: lazyRouteComponent(() => import('./pages/queues/QueuesPage'), 'QueuesPage') }),
  createRoute({ getParentRoute: () => root, path: '/queues/$id', component: lazyRouteComponent(() => import('./pages/queues/QueuePage'), 'QueuePage') }),
  createRoute({
    getParentRoute: () => root, path: '/media',
    validateSearch: (s: Record<string, unknown>): { q?: string } => ({ q: text(s['q']) }),
    component: lazyRouteComponent(() => import('./pages/library/LibraryPage'), 'LibraryPage'),
  }),
  createRoute({ getParentRoute: () => root, path: '/people', component: lazyRouteComponent(() => import('./pages/people/PeoplePage'), 'PeoplePage') }),
  createRoute({
    getParentRoute: () => root, path: '/audit',
    validateSearch: (s: Record<string, unknown>): AuditSearch => ({ actor: text(s['actor']), action: text(s['action']), subject: text(s['subject']), from: text(s['from']), to: text(s['to']) }),
    component: lazyRouteComponent(() => import('./pages/audit/AuditPage'), 'AuditPage'),
  }),
  createRoute({ getParentRoute: () => root, path: '/usage', component: lazyRouteComponent(() => import('./pages/usage/UsagePage'), 'UsagePage') }),
  createRoute({ getParentRoute: () => root, path: '/events', component: lazyRouteComponent(() => import('./pages/events/EventsPage'), 'EventsPage') }),
  createRoute({ getParentRoute: () => root, path: '/webhooks', component: lazyRouteComponent(() => import('./pages/webhooks/WebhooksPage'), 'WebhooksPage') }),
  createRoute({ getParentRoute: () => root, path: '/webhooks/$id', component: lazyRouteComponent(() => import('./pages/webhooks/WebhookPage'), 'WebhookPage') }),
  createRoute({ getParentRoute: () => root, path: '/keys', component: lazyRouteComponent(() => import('./pages/keys/KeysPage'), 'KeysPage') }),
  createRoute({
    getParentRoute: () => root, path: '/device',
    validateSearch: (s: Record<string, unknown>): { code?: string } => ({ code: text(s['code']) }),
    component: lazyRouteComponent(() => import('./pages/device/DevicePage'), 'DevicePage'),
  }),
  createRoute({ getParentRoute: () => root, path: '/you', validateSearch: refusal, component: lazyRouteComponent(() => import('./pages/you/YouPage'), 'YouPage') }),
]

export const router = createRouter({ routeTree: root.addChildren(routes), defaultErrorComponent: Broken, defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
