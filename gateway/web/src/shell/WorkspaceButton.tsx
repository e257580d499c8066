import type { ComponentProps } from 'react'
import { useSession } from '../api/session'
import { Icon } from '../parts/Icon'
import { Initial } from '../parts/Initial'
import { useWords } from '../words'

// WorkspaceButton says where one is, and opens the menu about it.
export function WorkspaceButton(props: ComponentProps<'button'>) {
  const { t } = useWords()
  const { workspace } = useSession()
  const name = workspace?.name ?? t('workspace.none')
  return (
    <button {...props} className="btn bare who" aria-haspopup="menu">
      <Initial name={name} kind="crest" />
      <span className="clip strong">{name}</span>
      <Icon name="down" size={14} />
    </button>
  )
}
