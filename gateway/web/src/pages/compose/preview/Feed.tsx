import { Initial } from '../../../parts/Initial'
import { useApiWords } from '../../../words/api'
import { Deeds, groupOf, Poll, Replies, Said, Shots, wordOf, type Look } from './shown'

// Feed is a text above what goes with it: Facebook, LinkedIn, Google Business, Telegram.
export function Feed({ account, entries: [entry], settings, when }: Look) {
  const { choiceOf } = useApiWords()
  if (!entry) return null
  const { platform } = account
  const isPictureFirst = platform === 'telegram' || platform === 'google-business'
  const shots = <Shots media={entry.media} />
  const button = wordOf(groupOf(settings['callToAction'])?.['actionType'])
  const title = wordOf(groupOf(settings['event'])?.['title'])
  const poll = groupOf(settings['poll'])
  return (
    <div className="feed">
      {platform !== 'telegram' && (
        <div className="row"><Initial name={account.name} /><span className="clip"><span className="strong">{account.name}</span><br /><span className="small muted">{when}</span></span></div>
      )}
      {platform === 'telegram' && <p className="strong linked">{account.name}</p>}
      {isPictureFirst && shots}
      {title && <p className="strong">{title}</p>}
      <Said text={entry.text} />
      {poll && <p className="strong">{wordOf(poll['question'])}</p>}
      <Poll poll={poll} />
      {!isPictureFirst && shots}
      {button && <p className="linked strong">{choiceOf(button)}</p>}
      {platform === 'facebook' && <Deeds of={['thumb', 'comment', 'send']} />}
      {platform === 'linkedin' && <Deeds of={['thumb', 'comment', 'repeat', 'send']} />}
      <Replies account={account} comments={entry.comments} />
    </div>
  )
}
