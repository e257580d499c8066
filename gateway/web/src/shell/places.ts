import type { LinkProps } from '@tanstack/react-router'
import { useRights, type Role } from '../api/session'
import type { IconName } from '../parts/Icon'
import type { Word } from '../words'

export type Place = { to: LinkProps['to']; word: Word; icon: IconName; least?: Role }

// places are where one goes every day, in the order of the navigation.
export const places: Place[] = [
  { to: '/calendar', word: 'nav.calendar', icon: 'calendar' },
  { to: '/needs', word: 'nav.needs', icon: 'bell' },
  { to: '/drafts', word: 'nav.drafts', icon: 'draft' },
  { to: '/accounts', word: 'nav.accounts', icon: 'account' },
]

export type Group = { word: Word; places: Place[] }

// groups are the other places.
const groups: Group[] = [
  {
    word: 'nav.supply',
    places: [
      { to: '/queues', word: 'nav.queues', icon: 'clock' },
      { to: '/media', word: 'nav.media', icon: 'image' },
      { to: '/brands', word: 'nav.brands', icon: 'brand' },
    ],
  },
  {
    word: 'nav.workspace',
    places: [
      { to: '/people', word: 'nav.people', icon: 'people', least: 'admin' },
      { to: '/audit', word: 'nav.audit', icon: 'list', least: 'admin' },
      { to: '/usage', word: 'nav.usage', icon: 'gauge' },
    ],
  },
  {
    word: 'nav.developers',
    places: [
      { to: '/webhooks', word: 'nav.webhooks', icon: 'hook', least: 'admin' },
      { to: '/keys', word: 'nav.keys', icon: 'key', least: 'admin' },
      { to: '/events', word: 'nav.events', icon: 'pulse' },
    ],
  },
]

// useGroups are the other places that whoever is signed in may see something in.
export function useGroups(): Group[] {
  const may = useRights()
  return groups.map((group) => ({ ...group, places: group.places.filter((p) => may(p.least ?? 'viewer')) }))
}
