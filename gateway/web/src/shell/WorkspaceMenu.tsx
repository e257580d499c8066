import { Menu, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useSession, useSessionChanges } from '../api/session'
import { Icon } from '../parts/Icon'
import { useToast } from '../parts/toasts'
import { useWords } from '../words'
import { useGroups } from './places'
import { WorkspaceButton } from './WorkspaceButton'

// WorkspaceMenu says where one is, and turns to another workspace, mode, language or face.
export default function WorkspaceMenu() {
  const { t, language, speak } = useWords()
  const { user, workspace, workspaces, test } = useSession()
  const { turn, signOut } = useSessionChanges()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { fail } = useToast()
  const groups = useGroups()
  const faces = ['auto', 'light', 'dark'] as const
  return (
    <Menu defaultOpened position="bottom-start" width={240} shadow="none" transitionProps={{ duration: 80 }}>
      <Menu.Target><WorkspaceButton /></Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.Item component={Link} to="/you" leftSection={<Icon name="user" />}>{t('nav.you')}</Menu.Item>
        <Menu.Item leftSection={<Icon name="retry" />} onClick={() => void turn({ test: !test }).catch(fail)}>{t(test ? 'mode.toLive' : 'mode.toTest')}</Menu.Item>
        {groups.flatMap((g) => g.places).map((p) => (
          <Menu.Item key={p.to} component={Link} to={p.to} leftSection={<Icon name={p.icon} />}>{t(p.word)}</Menu.Item>
        ))}
        {workspaces.length > 1 && <Menu.Label>{t('workspace.label')}</Menu.Label>}
        {workspaces.length > 1 && workspaces.map((w) => (
          <Menu.Item key={w.id} rightSection={w.id === workspace?.id && <Icon name="check" />} onClick={() => void turn({ workspaceId: w.id }).catch(fail)}>{w.name}</Menu.Item>
        ))}
        <Menu.Label>{t('face.label')}</Menu.Label>
        {faces.map((face) => (
          <Menu.Item key={face} rightSection={colorScheme === face && <Icon name="check" />} onClick={() => setColorScheme(face)}>{t(`face.${face}`)}</Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item lang={language === 'en' ? 'de' : 'en'} onClick={() => speak(language === 'en' ? 'de' : 'en')}>{language === 'en' ? 'Auf Deutsch' : 'In English'}</Menu.Item>
        <Menu.Item leftSection={<Icon name="leave" />} onClick={() => void signOut().catch(fail)}>{t('signout')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
