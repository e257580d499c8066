import { useId } from 'react'
import { Icon } from '../../parts/Icon'
import { useWords } from '../../words'
import { described, Found } from './Found'
import type { Finding } from './validity'
import type { Entry } from './writing'

type CommentsProps = { entry: Entry; findings: Finding[]; change: (comments: string[]) => void }

// Comments are published below the entry, by the same account.
export function Comments({ entry: { comments }, findings, change }: CommentsProps) {
  const { t } = useWords()
  const id = useId()
  if (comments.length === 0) return null
  return (
    <div className="comments">
      <span className="label">{t('compose.firstComments')}</span>
      {comments.map((text, i) => (
        <div className="row" key={i}>
          <textarea
            className="input" rows={1} aria-label={t('compose.comment', { n: i + 1 })} placeholder={t('compose.firstCommentHint')} autoFocus={text === ''}
            value={text} onChange={(e) => change(comments.map((c, at) => (at === i ? e.target.value : c)))} {...described(findings, id)}
          />
          <button className="btn bare low icon" aria-label={t('compose.removeComment', { n: i + 1 })} onClick={() => change(comments.filter((_, at) => at !== i))}><Icon name="x" size={14} /></button>
        </div>
      ))}
      <Found of={findings} id={id} />
    </div>
  )
}
