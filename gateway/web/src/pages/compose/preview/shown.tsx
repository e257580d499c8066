import type { ReactNode } from 'react'
import type { Account } from '../../../api/client'
import { Icon, type IconName } from '../../../parts/Icon'
import { Initial } from '../../../parts/Initial'
import { useWords } from '../../../words'
import { useMedia } from '../MediaItems'
import type { Group, Value } from '../settings/described'
import type { Item } from '../writing'

// Shown is an entry as an account publishes it.
export type Shown = { text: string; media: Item[]; comments: string[] }

// Look is what a platform's preview is made of. when is its time, empty where it has none yet.
export type Look = { account: Account; entries: Shown[]; settings: Group; when: string }

// wordOf is a setting that is a text.
export const wordOf = (value: Value) => (typeof value === 'string' ? value : '')

// groupOf is a setting that is a group.
export const groupOf = (value: Value): Group | undefined => (value && typeof value === 'object' && !Array.isArray(value) ? value : undefined)

// Said is a text with its links, tags and names as platforms show them.
export function Said({ text, lead }: { text: string; lead?: ReactNode }) {
  const { t } = useWords()
  if (!text) return <p className="muted">{t('preview.empty')}</p>
  const parts = text.split(/(https?:\/\/\S+|[#@][\p{L}\p{N}_.]*[\p{L}\p{N}_])/u)
  return <p className="said quiet">{lead}{parts.map((part, i) => (i % 2 ? <span className="linked" key={i}>{part}</span> : part))}</p>
}

export function Shots({ media, most = 4 }: { media: Item[]; most?: number }) {
  if (media.length === 0) return null
  return (
    <div className="shots" data-count={Math.min(media.length, most)}>
      {media.slice(0, most).map((m, i) => <Shot key={(m.mediaId ?? '') + i} item={m} />)}
    </div>
  )
}

function Shot({ item }: { item: Item }) {
  const url = useMedia(item)
  if (url && item.type === 'image') return <img src={url} alt={item.altText} data-fit={item.fit} />
  if (url && item.type === 'video') return <video src={url} muted preload="metadata" />
  return <span className="skeleton" />
}

// Poll are the answers that a post offers.
export function Poll({ poll }: { poll: Value }) {
  const options = groupOf(poll)?.['options']
  if (!Array.isArray(options)) return null
  return <ul className="poll">{options.map((o, i) => <li key={i}>{wordOf(o) || '…'}</li>)}</ul>
}

// Replies are the first comments.
export function Replies({ account, comments }: { account: Account; comments: string[] }) {
  return (
    <>
      {comments.map((text, i) => (
        <div className="reply" key={i}><Initial name={account.name} /><p className="small quiet"><span className="strong">{account.name}</span> {text}</p></div>
      ))}
    </>
  )
}

// Deeds are what people can do there, as decoration.
export function Deeds({ of }: { of: IconName[] }) {
  return <p className="deeds" aria-hidden="true">{of.map((one) => <Icon key={one} name={one} />)}</p>
}
