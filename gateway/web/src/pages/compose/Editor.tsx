import type { AccountsById } from '../../api/queries'
import { Icon } from '../../parts/Icon'
import { Mark, platforms } from '../../parts/platforms'
import { useWords } from '../../words'
import { EntryEditor } from './EntryEditor'
import type { Validity } from './validity'
import { blankEntry, hasRoom, isThread, misfits, mostEntries, moved, threaded, voices, type Entry, type Writing } from './writing'

type EditorProps = {
  writing: Writing
  accounts: AccountsById
  validities: Validity[]
  voice: { shown: string; show: (account: string) => void }
  setWriting: (next: (w: Writing) => Writing) => void
  exists: boolean // a post that does becomes no thread, and the entries of a thread stay as they are
}

// Editor is where the entries of a post are written: one, or those of a thread.
export function Editor({ writing, accounts, validities, voice, setWriting, exists }: EditorProps) {
  const { t } = useWords()
  const { entries } = writing
  const setEntries = (next: (all: Entry[]) => Entry[]) => setWriting((w) => ({ ...w, entries: next(w.entries) }))
  const others = misfits(writing, accounts)
  const isFixed = exists && isThread(writing)
  const canGrow = !exists && writing.accounts.some((id) => threaded.includes(accounts.get(id)?.platform ?? 'youtube')) && entries.length < mostEntries
  return (
    <section className="card editor" aria-label={t('compose.text')}>
      {writing.accounts.length > 0 && <TextTabs writing={writing} accounts={accounts} {...voice} />}
      <ol>
        {entries.map((entry, i) => (
          <EntryEditor
            key={entry.id} entry={entry} validity={validities[i]} account={accounts.get(voice.shown)} platforms={voices(writing, accounts).map((a) => a.platform)}
            set={(next) => setEntries((all) => all.map((e) => (e.id === entry.id ? next(e) : e)))}
            isFixed={isFixed}
            place={isThread(writing) ? {
              at: i, of: entries.length,
              change: isFixed ? undefined : { move: (to) => setEntries((all) => moved(all, i, to)), remove: () => setEntries((all) => all.filter((e) => e.id !== entry.id)) },
            } : undefined}
          />
        ))}
      </ol>
      {isFixed && <p className="small muted fixed">{t('thread.fixed')}</p>}
      {others.length > 0 && <Amiss>{t('thread.notOn', { platforms: others.map((a) => platforms[a.platform].name).join(', ') })}</Amiss>}
      {!hasRoom(writing) && <Amiss>{t('thread.oneMedia')}</Amiss>}
      {canGrow && (
        <button className="btn bare low grow-thread" onClick={() => setEntries((all) => [...all, blankEntry()])}>
          <Icon name="plus" size={14} /> {t(isThread(writing) ? 'thread.add' : 'thread.begin')}
        </button>
      )}
    </section>
  )
}

const Amiss = ({ children }: { children: string }) => <p className="note bad only-threads"><Icon name="alert" size={14} /> <span className="small">{children}</span></p>

// TextTabs choose whose text is written: the common one, or that of an account, in a thread of a platform.
function TextTabs({ writing, accounts, shown, show }: { writing: Writing; accounts: AccountsById } & EditorProps['voice']) {
  const { t } = useWords()
  return (
    <div className="texts" role="group" aria-label={t('compose.texts')}>
      <button aria-pressed={shown === ''} onClick={() => show('')}>{t('compose.everywhere')}</button>
      {voices(writing, accounts).map(({ id, name, platform }) => (
        <button key={id} aria-pressed={shown === id} onClick={() => show(id)} title={name}>
          <Mark platform={platform} size="low" />
          <span className="clip">{platforms[platform].name}</span>
          {writing.entries.some((e) => e.own[id] !== undefined) && <span className="dot" role="img" aria-label={t('compose.hasOwn')} />}
        </button>
      ))}
    </div>
  )
}
