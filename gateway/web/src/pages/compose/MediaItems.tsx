import { useQuery } from '@tanstack/react-query'
import { ownPath } from '../../api/client'
import { mediaOf } from '../../api/queries'
import { Icon } from '../../parts/Icon'
import { useWords } from '../../words'
import type { Sending } from './upload'
import type { Item, Writing } from './writing'

type MediaItemsProps = { writing: Writing; sending: Sending[]; dropSending: (id: number) => void; change: (next: Partial<Writing>) => void }

export function MediaItems({ writing, sending, dropSending, change }: MediaItemsProps) {
  const { t } = useWords()
  const set = (at: number, next: Partial<Item>) => change({ media: writing.media.map((m, i) => (i === at ? { ...m, ...next } : m)) })
  if (writing.media.length + sending.length === 0) return null
  return (
    <ul className="attached">
      {writing.media.map((item, i) => (
        <li key={(item.mediaId ?? item.url ?? '') + i}>
          <Thumb item={item} />
          <div className="grow stack tight">
            <input className="input" aria-label={t('media.alt')} placeholder={t('media.alt')} maxLength={1000} value={item.altText} onChange={(e) => set(i, { altText: e.target.value })} />
            {item.type === 'image' && (
              <select className="input" aria-label={t('media.fit')} value={item.fit ?? 'none'} onChange={(e) => set(i, { fit: e.target.value as Item['fit'] })}>
                <option value="none">{t('media.fitNone')}</option>
                <option value="contain">{t('media.fitContain')}</option>
                <option value="cover">{t('media.fitCover')}</option>
              </select>
            )}
          </div>
          <button className="btn bare low icon" aria-label={t('media.remove')} onClick={() => change({ media: writing.media.filter((_, at) => at !== i) })}><Icon name="x" size={14} /></button>
        </li>
      ))}
      {sending.map((s) => (
        <li key={s.id}>
          <span className="thumb"><Icon name="image" /></span>
          <div className="grow stack tight">
            <span className="clip small">{s.name}</span>
            {s.error ? <span className="small problem">{s.error}</span> : <progress value={s.part} max={1} aria-label={t('media.sending', { name: s.name })} />}
          </div>
          {s.error && <button className="btn bare low icon" aria-label={t('media.remove')} onClick={() => dropSending(s.id)}><Icon name="x" size={14} /></button>}
        </li>
      ))}
    </ul>
  )
}

// useMedia reads where an upload can be seen.
export function useMedia(item: Item): string | undefined {
  const { data } = useQuery(mediaOf(item.mediaId))
  return data?.url && ownPath(data.url)
}

function Thumb({ item }: { item: Item }) {
  const url = useMedia(item)
  return <span className="thumb">{url && item.type === 'image' ? <img src={url} alt="" /> : <Icon name={item.type === 'image' ? 'image' : 'draft'} />}</span>
}
