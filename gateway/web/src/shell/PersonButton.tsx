import type { ComponentProps } from 'react'
import { useSession } from '../api/session'
import { Initial } from '../parts/Initial'
import { useWords } from '../words'

// PersonButton says who is signed in, and opens the menu about them.
export function PersonButton(props: ComponentProps<'button'>) {
  const { t } = useWords()
  const { user } = useSession()
  const name = user.name || user.email
  return (
    <button {...props} className="btn bare who person" aria-haspopup="menu">
      <Initial name={name} />
      <span className="hidden">{t('person.menu')}</span>
      <span className="clip strong name">{name}</span>
    </button>
  )
}
