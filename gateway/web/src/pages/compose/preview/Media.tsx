import { Initial } from '../../../parts/Initial'
import { useWords } from '../../../words'
import { Deeds, Replies, Said, Shots, wordOf, type Look } from './shown'

const name = (text: string) => <span className="strong">{text} </span>

// Gallery is Instagram: pictures, and what is said below them.
export function Gallery({ account, entries: [entry], settings }: Look) {
  if (!entry) return null
  const isStory = settings['mediaType'] === 'STORIES'
  return (
    <div className="gallery" data-tall={isStory || settings['mediaType'] === 'REELS'}>
      <div className="row"><Initial name={account.name} /><span className="strong clip">{account.name}</span></div>
      {entry.media.length > 0 ? <Shots media={entry.media} most={1} /> : <span className="frame" />}
      {entry.media.length > 1 && <p className="dots" aria-hidden="true">{entry.media.map((_, i) => <span key={i} />)}</p>}
      {!isStory && <Deeds of={['heart', 'comment', 'send']} />}
      {!isStory && <Said text={entry.text} lead={name(account.name)} />}
      {!isStory && <Replies account={account} comments={entry.comments} />}
    </div>
  )
}

// Pin is Pinterest: a picture, its title and what is said of it.
export function Pin({ account, entries: [entry], settings }: Look) {
  if (!entry) return null
  return (
    <div className="pin">
      {entry.media.length > 0 ? <Shots media={entry.media} most={1} /> : <span className="frame" />}
      <p className="strong">{wordOf(settings['title'])}</p>
      <Said text={entry.text} />
      <div className="row small"><Initial name={account.name} /><span className="clip">{account.name}</span></div>
    </div>
  )
}

// Film is TikTok: the text lies over the film.
export function Film({ account, entries: [entry] }: Look) {
  if (!entry) return null
  return (
    <div className="film">
      <Shots media={entry.media} most={1} />
      <Deeds of={['heart', 'comment', 'send']} />
      <div className="over"><p className="strong">@{account.name.replace(/^@/, '')}</p><Said text={entry.text} /></div>
    </div>
  )
}

// Watch is YouTube: the film, its title, the channel, and the text as its description.
export function Watch({ account, entries: [entry], settings }: Look) {
  const { t } = useWords()
  if (!entry) return null
  return (
    <div className="watch">
      {entry.media.length > 0 ? <Shots media={entry.media} most={1} /> : <span className="frame" />}
      <p className="strong">{wordOf(settings['title']) || t('preview.noTitle')}</p>
      <div className="row small"><Initial name={account.name} /><span className="strong clip">{account.name}</span></div>
      <div className="about"><Said text={entry.text} /></div>
      <Replies account={account} comments={entry.comments} />
    </div>
  )
}
