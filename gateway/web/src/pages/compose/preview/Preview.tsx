import './preview.css'
import type { ComponentType } from 'react'
import type { Account, PlatformName } from '../../../api/client'
import { Mark, platforms } from '../../../parts/platforms'
import { useWords } from '../../../words'
import { written, type Writing } from '../writing'
import { Feed } from './Feed'
import { Film, Gallery, Pin, Watch } from './Media'
import { Notes } from './Notes'
import type { Look, Shown } from './shown'

const looks: Record<PlatformName, ComponentType<Look>> = {
  twitter: Notes, threads: Notes, bluesky: Notes, mastodon: Notes,
  facebook: Feed, linkedin: Feed, 'google-business': Feed, telegram: Feed,
  instagram: Gallery, pinterest: Pin, tiktok: Film, youtube: Watch,
}

type PreviewProps = { writing: Writing; voices: Account[]; shown: string; show: (account: string) => void }

// Preview shows about how a post looks on the platform of an account.
export function Preview({ writing, voices, shown, show }: PreviewProps) {
  const { t, time } = useWords()
  const account = voices.find((a) => a.id === shown) ?? voices[0]
  if (!account) return null
  const PlatformLook = looks[account.platform]
  const settings = writing.settings[account.platform] ?? {}
  const when = { now: t('preview.now'), at: writing.at && `${time.day(writing.at)}, ${time.clock(writing.at)}`, queue: '', draft: '' }[writing.when]
  const entries = writing.entries.map((e): Shown => ({ text: e.own[account.id] ?? e.text, media: e.media, comments: written(e) }))
  return (
    <section className="card" aria-label={t('preview.title')}>
      <header>
        <h2>{t('preview.title')}</h2>
        <div className="row wrap voices" role="group" aria-label={t('preview.whose')}>
          {voices.map((a) => (
            <button key={a.id} aria-pressed={a === account} title={`${platforms[a.platform].name}: ${a.name}`} onClick={() => show(a.id)}><Mark platform={a.platform} /></button>
          ))}
        </div>
      </header>
      <div className="body preview" data-platform={account.platform}>
        <PlatformLook account={account} entries={entries} settings={settings} when={when} />
      </div>
    </section>
  )
}
