import { Menu, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useSession, useSessionChanges } from '../api/session'
import { Icon } from '../parts/Icon'
import { useToast } from '../parts/toasts'
import { useWords } from '../words'
import { PersonButton } from './PersonButton'

// PersonMenu is about whoever is signed in: their page, how the console looks and speaks to them, the way out.
export default function PersonMenu() {
  const { t, language, speak } = useWords()
  const { user } = useSession()
  const { signOut } = useSessionChanges()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { fail } = useToast()
  const faces = ['auto', 'light', 'dark'] as const
  const other = language === 'en' ? 'de' : 'en'
  return (
    <Menu defaultOpened withInitialFocusPlaceholder={false} position="top-start" width={240} shadow="none" transitionProps={{ duration: 80 }}>
      <Menu.Target><PersonButton /></Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="clip">{user.email}</Menu.Label>
        <Menu.Item component={Link} to="/you" leftSection={<Icon name="user" />}>{t('person.profile')}</Menu.Item>
        <Menu.Label>{t('face.label')}</Menu.Label>
        {faces.map((face) => (
          <Menu.Item key={face} rightSection={colorScheme === face && <Icon name="check" />} onClick={() => setColorScheme(face)}>{t(`face.${face}`)}</Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item lang={other} onClick={() => speak(other)}>{other === 'de' ? 'Auf Deutsch' : 'In English'}</Menu.Item>
        <Menu.Item leftSection={<Icon name="leave" />} onClick={() => void signOut().catch(fail)}>{t('signout')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
