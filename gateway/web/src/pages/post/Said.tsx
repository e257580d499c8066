import type { MediaItem, Post, Schemas } from '../../api/client'
import { platforms } from '../../parts/platforms'
import { StatusShape } from '../../parts/Status'
import { useWords } from '../../words'
import { MediaStrip } from './MediaStrip'

type Entry = Schemas['ThreadEntry']

// Said is what a post says: its text, or a thread's, with media and first comments.
export function Said({ post, thread }: { post: Post; thread?: Schemas['Thread'] }) {
  const { t } = useWords()
  const entries = thread?.posts ?? [{ content: post.content, mediaItems: post.mediaItems, platforms: [] }]
  return (
    <section className="card" aria-label={t('post.text')}>
      <ol className="texts-said">
        {entries.map((entry, i) => (
          <li className="stack" key={i}>
            {entries.length > 1 && <EntryHead n={i + 1} of={entries.length} results={entry.platforms} />}
            {entry.content ? <p className="said">{entry.content}</p> : <p className="muted">{t('post.noText')}</p>}
            <MediaStrip items={entry.mediaItems as MediaItem[]} />
            <Comments texts={post.firstComments.filter((c) => (c.target ?? 0) === i).map((c) => c.text)} />
          </li>
        ))}
      </ol>
    </section>
  )
}

// EntryHead says which post of a thread it is, and what became of it on each account.
function EntryHead({ n, of, results }: { n: number; of: number; results: Entry['platforms'] }) {
  const { t } = useWords()
  return (
    <div className="row wrap">
      <span className="small strong muted grow">{t('thread.place', { n, of })}</span>
      {results.map((r) => (
        <span className="row" key={r.accountId}>
          <StatusShape status={r.status === 'skipped' ? 'cancelled' : r.status} size={12} />
          {r.postUrl
            ? <a className="small" href={r.postUrl} target="_blank" rel="noreferrer">{platforms[r.platform].name}</a>
            : <span className="small muted">{platforms[r.platform].name}</span>}
        </span>
      ))}
    </div>
  )
}

function Comments({ texts }: { texts: string[] }) {
  const { t } = useWords()
  if (texts.length === 0) return null
  return (
    <div className="stack tight">
      <span className="label">{t(texts.length > 1 ? 'compose.firstComments' : 'post.firstComment')}</span>
      {texts.map((text, i) => <p className="said quiet" key={i}>{text}</p>)}
    </div>
  )
}
