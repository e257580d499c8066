import { Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession, useSessionChanges } from '../api/session'
import { Icon } from '../parts/Icon'
import { useToast } from '../parts/toasts'
import { useWords } from '../words'
import { useGroups } from './places'
import { WorkspaceButton } from './WorkspaceButton'

type WorkspaceMenuProps = { target?: ReactNode; position?: 'bottom-start' | 'top-end' }

// WorkspaceMenu says where one is, leads to its other pages, and turns to another workspace or mode.
export default function WorkspaceMenu({ target = <WorkspaceButton />, position = 'bottom-start' }: WorkspaceMenuProps) {
  const { t } = useWords()
  const { workspace, workspaces, test } = useSession()
  const { turn } = useSessionChanges()
  const { fail } = useToast()
  const groups = useGroups()
  return (
    <Menu defaultOpened withInitialFocusPlaceholder={false} position={position} width={240} shadow="none" transitionProps={{ duration: 80 }}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="retry" />} onClick={() => void turn({ test: !test }).catch(fail)}>{t(test ? 'mode.toLive' : 'mode.toTest')}</Menu.Item>
        {groups.flatMap((g) => g.places).map((p) => (
          <Menu.Item key={p.to} component={Link} to={p.to} leftSection={<Icon name={p.icon} />}>{t(p.word)}</Menu.Item>
        ))}
        {workspaces.length > 1 && <Menu.Label>{t('workspace.label')}</Menu.Label>}
        {workspaces.length > 1 && workspaces.map((w) => (
          <Menu.Item key={w.id} rightSection={w.id === workspace?.id && <Icon name="check" />} onClick={() => void turn({ workspaceId: w.id }).catch(fail)}>{w.name}</Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
