import { useId, useRef } from 'react'
import type { Account, PlatformName } from '../../api/client'
import { Icon } from '../../parts/Icon'
import { Mark, platforms as named } from '../../parts/platforms'
import { useDrop, useUploads } from '../../parts/uploads'
import { useWords } from '../../words'
import { Comments } from './Comments'
import { described, Found } from './Found'
import { MediaItems } from './MediaItems'
import { under, type Finding, type Validity } from './validity'
import type { Entry } from './writing'

type Place = { at: number; of: number; change?: { move: (to: number) => void; remove: () => void } }

type EntryEditorProps = {
  entry: Entry
  place?: Place // in a thread
  account?: Account // whose text is written; undefined: everybody's
  platforms: PlatformName[]
  validity?: Validity
  isFixed: boolean // of a thread that exists: its text and media stay
  set: (next: (e: Entry) => Entry) => void
}

// EntryEditor is where an entry's text, what accounts get instead of it, its media and first comments are written.
export function EntryEditor({ entry, place, account, platforms, validity, isFixed, set }: EntryEditorProps) {
  const { t } = useWords()
  const picker = useRef<HTMLInputElement>(null)
  const findings = validity?.findings ?? []
  const change = (next: Partial<Entry>) => set((e) => ({ ...e, ...next }))
  const uploads = useUploads((upload) => set((e) => ({ ...e, media: [...e.media, { ...upload, altText: '' }] })))
  const drop = useDrop(uploads.send)
  return (
    <li className="entry-editor" data-over={drop.isOver} {...(isFixed ? {} : drop.props)}>
      {place && <PlaceInThread {...place} />}
      <TextField entry={entry} place={place} account={account} isFixed={isFixed} findings={aboutText(findings)} change={change} />
      <fieldset className="plain" disabled={isFixed}>
        <MediaItems media={entry.media} findings={findings} uploads={uploads} setMedia={(media) => change({ media })} />
      </fieldset>
      <div className="tools">
        {!isFixed && <button className="btn low" onClick={() => picker.current?.click()}><Icon name="image" size={14} /> {t('media.add')}</button>}
        <input ref={picker} className="hidden" tabIndex={-1} aria-hidden="true" type="file" multiple accept="image/*,video/*,application/pdf" onChange={(e) => { [...(e.target.files ?? [])].forEach(uploads.send); e.target.value = '' }} />
        <button className="btn low" onClick={() => change({ comments: [...entry.comments, ''] })}><Icon name="plus" size={14} /> {t('compose.firstComment')}</button>
        <span className="small muted grow drop-hint">{!isFixed && t('media.orDrop')}</span>
        <Counters platforms={platforms} validity={validity} />
      </div>
      <Comments entry={entry} findings={under(findings, 'firstComments')} change={(comments) => change({ comments })} />
    </li>
  )
}

// aboutText are the findings that are of no other field: those of texts, and of what goes with none.
const elsewhere = ['mediaItems', 'firstComments', 'platformSettings']
const aboutText = (findings: Finding[]) => findings.filter((f) => !elsewhere.some((field) => under([f], field).length > 0))

function PlaceInThread({ at, of, change }: Place) {
  const { t } = useWords()
  return (
    <div className="row entry-head">
      <span className="small strong muted grow">{t('thread.place', { n: at + 1, of })}</span>
      {change && (
        <>
          <button className="btn bare low icon" aria-label={t('thread.earlier', { n: at + 1 })} disabled={at === 0} onClick={() => change.move(at - 1)}><Icon name="up" size={14} /></button>
          <button className="btn bare low icon" aria-label={t('thread.later', { n: at + 1 })} disabled={at === of - 1} onClick={() => change.move(at + 1)}><Icon name="down" size={14} /></button>
          <button className="btn bare low icon" aria-label={t('thread.remove', { n: at + 1 })} onClick={change.remove}><Icon name="x" size={14} /></button>
        </>
      )}
    </div>
  )
}

type TextFieldProps = Pick<EntryEditorProps, 'entry' | 'place' | 'account' | 'isFixed'> & { findings: Finding[]; change: (next: Partial<Entry>) => void }

function TextField({ entry, place, account, isFixed, findings, change }: TextFieldProps) {
  const { t } = useWords()
  const id = useId()
  const own = account && entry.own[account.id]
  const whose = account ? t('compose.textFor', { name: account.name }) : t('compose.text')
  const write = (text: string) => change(account ? { own: { ...entry.own, [account.id]: text } } : { text })
  const reset = () => change({ own: Object.fromEntries(Object.entries(entry.own).filter(([of]) => of !== account?.id)) })
  return (
    <>
      <textarea
        className="writing" aria-label={place ? `${whose} ${place.at + 1}` : whose} placeholder={t('compose.placeholder')} rows={place ? 3 : 6} autoFocus={!place || place.at > 0}
        readOnly={isFixed} value={own ?? entry.text} onChange={(e) => write(e.target.value)} {...described(findings, id)}
      />
      {account && !isFixed && (
        <div className="row tools">
          <span className="small muted grow">{t(own === undefined ? 'compose.ownHint' : 'compose.ownText')}</span>
          {own !== undefined && <button className="btn bare low" onClick={reset}>{t('compose.useCommon')}</button>}
        </div>
      )}
      <Found of={findings} id={id} />
    </>
  )
}

// Counters say how many characters each platform still takes.
function Counters({ platforms, validity }: Pick<EntryEditorProps, 'platforms' | 'validity'>) {
  const { t } = useWords()
  const counted = [...new Set(platforms)].flatMap((platform) => {
    const left = validity?.platforms[platform]?.remainingCharacters
    return left === undefined ? [] : [{ platform, left }]
  })
  return (
    <ul className="row wrap counters">
      {counted.map(({ platform, left }) => (
        <li key={platform} className={`pill numbers ${left < 0 ? 'bad' : left < 20 ? 'warn' : ''}`} title={`${named[platform].name}: ${t('compose.left', { n: left })}`}>
          <Mark platform={platform} size="low" /> {left}
        </li>
      ))}
    </ul>
  )
}
