import { Initial } from '../../../parts/Initial'
import { Deeds, Poll, Replies, Said, Shots, wordOf, type Look } from './shown'

// Notes are short texts below each other: X, Threads, Bluesky, Mastodon.
export function Notes({ account, entries, settings, when }: Look) {
  const warning = wordOf(settings['spoilerText'])
  return (
    <ol className="notes">
      {entries.map((e, i) => (
        <li key={i}>
          <Initial name={account.name} />
          <div className="grow">
            <p className="row small"><span className="strong clip">{account.name}</span>{when && <span className="muted since">· {when}</span>}</p>
            {i === 0 && warning && <p className="covered">{warning}</p>}
            <Said text={e.text} />
            {i === 0 && <Poll poll={settings['poll']} />}
            <Shots media={e.media} />
            <Deeds of={['comment', 'repeat', 'heart', 'more']} />
            <Replies account={account} comments={e.comments} />
          </div>
        </li>
      ))}
    </ol>
  )
}
