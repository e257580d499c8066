import described from 'virtual:settings'
import { useEffect, useState } from 'react'
import type { PlatformName } from '../../../api/client'
import { Icon } from '../../../parts/Icon'
import { Mark, platforms } from '../../../parts/platforms'
import { useWords } from '../../../words'
import { under, type Finding } from '../validity'
import type { Settings as AllSettings } from '../writing'
import { countSet, type Group } from './described'
import { Members } from './Setting'

type SettingsProps = { of: PlatformName[]; settings: AllSettings; findings: Finding[]; change: (settings: AllSettings) => void }

// Settings are what each platform can be told beside the text, as the API describes it.
export default function Settings({ of, settings, findings, change }: SettingsProps) {
  const { t } = useWords()
  return (
    <section className="card settings" aria-label={t('settings.title')}>
      <header><h2>{t('settings.title')}</h2></header>
      {of.map((platform) => (
        <OfPlatform
          key={platform} platform={platform} group={settings[platform] ?? {}} findings={under(findings, `platformSettings.${platform}`)}
          set={(group) => change({ ...settings, [platform]: group })}
        />
      ))}
    </section>
  )
}

type OfPlatformProps = { platform: PlatformName; group: Group; findings: Finding[]; set: (group: Group) => void }

// OfPlatform opens by itself where something is wrong or missing.
function OfPlatform({ platform, group, findings, set }: OfPlatformProps) {
  const { t } = useWords()
  const isWrong = findings.some((f) => f.tone === 'bad')
  const [isOpen, setOpen] = useState(isWrong)
  useEffect(() => { if (isWrong) setOpen(true) }, [isWrong])
  const count = countSet(group)
  // The text is written above, and is an account's.
  const { content: _, ...members } = described[platform].properties ?? {}
  return (
    <details open={isOpen} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <Mark platform={platform} />
        <span className="grow strong">{platforms[platform].name}</span>
        {isWrong && <span className="pill bad">{t('settings.missing')}</span>}
        {count > 0 && <span className="small muted">{t('settings.count', { n: count })}</span>}
        <Icon name="down" size={14} />
      </summary>
      {isOpen && <Members of={members} required={[]} value={group} path={`platformSettings.${platform}`} findings={findings} set={set} />}
    </details>
  )
}
