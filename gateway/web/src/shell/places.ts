import type { LinkProps } from '@tanstack/react-router'
import { useMay } from '../api/session'
import type { IconName } from '../parts/Icon'
import type { Word } from '../words'

export type Place = { to: LinkProps['to']; word: Word; icon: IconName }

// places are where one can go, in the order of the navigation.
export const places: Place[] = [
  { to: '/calendar', word: 'nav.calendar', icon: 'calendar' },
  { to: '/needs', word: 'nav.needs', icon: 'bell' },
  { to: '/drafts', word: 'nav.drafts', icon: 'draft' },
  { to: '/accounts', word: 'nav.accounts', icon: 'people' },
]

const technical: Place[] = [
  { to: '/webhooks', word: 'nav.webhooks', icon: 'hook' },
  { to: '/keys', word: 'nav.keys', icon: 'key' },
]

// useTechnical are the places for developers, which only admins may see.
export const useTechnical = () => (useMay('admin') ? technical : [])
