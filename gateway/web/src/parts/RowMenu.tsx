import { Menu } from '@mantine/core'
import { useWords } from '../words'
import { Icon, type IconName } from './Icon'

type RowMenuProps = { name?: string; of: { icon: IconName; label: string; run: () => void; isGrave?: boolean }[] }

// RowMenu has what can be done with something besides what stands beside it; in a list it says with what, by its name.
export function RowMenu({ name, of }: RowMenuProps) {
  const { t } = useWords()
  return (
    <Menu withInitialFocusPlaceholder={false} position="bottom-end" shadow="none" transitionProps={{ duration: 80 }}>
      <Menu.Target><button className={name ? 'btn bare low icon' : 'btn icon'} aria-label={name ? t('moreFor', { name }) : t('more')}><Icon name="more" /></button></Menu.Target>
      <Menu.Dropdown>
        {of.map((a) => <Menu.Item key={a.label} data-grave={a.isGrave || undefined} leftSection={<Icon name={a.icon} />} onClick={a.run}>{a.label}</Menu.Item>)}
      </Menu.Dropdown>
    </Menu>
  )
}
