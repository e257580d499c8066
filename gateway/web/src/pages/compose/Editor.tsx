import { useId, useRef, useState, type DragEvent } from 'react'
import { words, type Schemas } from '../../api/client'
import type { AccountsById } from '../../api/queries'
import { Icon } from '../../parts/Icon'
import { Mark, platforms } from '../../parts/platforms'
import { useWords } from '../../words'
import { Left } from './Accounts'
import { MediaItems } from './MediaItems'
import { useUploads } from './upload'
import type { Validity } from './validity'
import type { Writing } from './writing'

type EditorProps = {
  writing: Writing
  accounts: AccountsById
  validity: Validity
  shown: string
  show: (account: string) => void
  change: (next: Partial<Writing>) => void
  setWriting: (next: (w: Writing) => Writing) => void
}

// Editor is where the text, what accounts get instead of it, the media and a first comment are written.
export function Editor({ writing, accounts, validity, shown, show, change, setWriting }: EditorProps) {
  const { t } = useWords()
  const [isOver, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const comment = useId()
  const uploads = useUploads(
    (item) => setWriting((w) => ({ ...w, media: [...w.media, item] })),
    (error) => words(error, t('unreachable')),
  )
  const take = (files: FileList | null) => [...(files ?? [])].forEach((f) => void uploads.send(f))
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files)
  }
  return (
    <section
      className="card editor" data-over={isOver} aria-label={t('compose.text')}
      onDragOver={(e) => { e.preventDefault(); setOver(true) }} onDragLeave={() => setOver(false)} onDrop={drop}
    >
      {writing.accounts.length > 0 && <TextTabs writing={writing} accounts={accounts} shown={shown} show={show} />}
      <TextField writing={writing} accounts={accounts} shown={shown} change={change} validity={validity} />
      <MediaItems writing={writing} sending={uploads.sending} dropSending={uploads.drop} change={change} />
      <div className="tools">
        <button className="btn low" onClick={() => picker.current?.click()}><Icon name="image" size={14} /> {t('media.add')}</button>
        <input ref={picker} className="hidden" tabIndex={-1} aria-hidden="true" type="file" multiple accept="image/*,video/*,application/pdf" onChange={(e) => { take(e.target.files); e.target.value = '' }} />
        <span className="small muted">{t('media.orDrop')}</span>
      </div>
      <div className="field comment">
        <label htmlFor={comment}>{t('compose.firstComment')}</label>
        <textarea className="input" id={comment} rows={1} value={writing.firstComment} placeholder={t('compose.firstCommentHint')} onChange={(e) => change({ firstComment: e.target.value })} />
      </div>
      <Findings validity={writing.accounts.length > 0 ? validity : undefined} />
    </section>
  )
}

function TextTabs({ writing, accounts, shown, show }: Pick<EditorProps, 'writing' | 'accounts' | 'shown' | 'show'>) {
  const { t } = useWords()
  return (
    <div className="texts" role="group" aria-label={t('compose.texts')}>
      <button aria-pressed={shown === ''} onClick={() => show('')}>{t('compose.everywhere')}</button>
      {writing.accounts.map((id) => {
        const account = accounts.get(id)
        if (!account) return null
        return (
          <button key={id} aria-pressed={shown === id} onClick={() => show(id)} title={account.name}>
            <Mark platform={account.platform} size="low" />
            <span className="clip">{platforms[account.platform].name}</span>
            {writing.own[id] !== undefined && <span className="dot" role="img" aria-label={t('compose.hasOwn')} />}
          </button>
        )
      })}
    </div>
  )
}

function TextField({ writing, accounts, shown, change, validity }: Pick<EditorProps, 'writing' | 'accounts' | 'shown' | 'change' | 'validity'>) {
  const { t } = useWords()
  const account = accounts.get(shown)
  const own = writing.own[shown]
  const label = account ? t('compose.textFor', { name: account.name }) : t('compose.text')
  const write = (text: string) => change(account ? { own: { ...writing.own, [shown]: text } } : { text })
  const reset = () => change({ own: Object.fromEntries(Object.entries(writing.own).filter(([id]) => id !== shown)) })
  return (
    <>
      <textarea
        className="writing" aria-label={label} placeholder={t('compose.placeholder')} rows={7} autoFocus
        value={account ? own ?? writing.text : writing.text} onChange={(e) => write(e.target.value)}
      />
      {account && (
        <div className="row tools">
          <span className="small muted grow">{t(own === undefined ? 'compose.ownHint' : 'compose.ownText')}</span>
          {own !== undefined && <button className="btn bare low" onClick={reset}>{t('compose.useCommon')}</button>}
          <Left left={validity?.platforms[account.platform]?.remainingCharacters} />
        </div>
      )}
    </>
  )
}

// Findings are what the API finds wrong, or worth a warning, in its words.
function Findings({ validity }: { validity: Validity }) {
  const found: { tone: 'bad' | 'warn'; detail: Schemas['Detail'] }[] = [
    ...(validity?.errors ?? []).map((detail) => ({ tone: 'bad' as const, detail })),
    ...(validity?.warnings ?? []).map((detail) => ({ tone: 'warn' as const, detail })),
  ]
  if (found.length === 0) return null
  return (
    <ul className="findings" aria-live="polite">
      {found.map(({ tone, detail }, i) => (
        <li key={i} className={`note ${tone}`}>
          <Icon name="alert" size={14} />
          {detail.platform && <Mark platform={detail.platform} size="low" />}
          <span className="small grow">{detail.message}</span>
        </li>
      ))}
    </ul>
  )
}
