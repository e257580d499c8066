import { useQueries } from '@tanstack/react-query'
import { ownPath, type MediaItem } from '../../api/client'
import { mediaOf } from '../../api/queries'
import { Icon } from '../../parts/Icon'
import { useWords } from '../../words'

// MediaStrip shows the media of a post, each above its description. What is on other servers is linked, as pages load nothing from there.
export function MediaStrip({ items }: { items: MediaItem[] }) {
  const { t } = useWords()
  const uploads = useQueries({ queries: items.map((item) => mediaOf(item.mediaId)) })
  if (items.length === 0) return null
  return (
    <ul className="media">
      {items.map((item, i) => {
        const upload = uploads[i]?.data
        const alt = item.altText ?? upload?.altText
        const url = upload?.url ? ownPath(upload.url) : undefined
        return (
          <li key={item.mediaId ?? item.url ?? i}>
            {url && upload?.type === 'image' && <img src={url} alt={alt ?? ''} />}
            {url && upload?.type === 'video' && <video src={url} controls preload="metadata" aria-label={alt ?? t('media.video')} />}
            {!url && item.url && <a className="media-link" href={item.url} target="_blank" rel="noreferrer"><Icon name="link" /> <span className="clip">{item.url}</span></a>}
            {alt && <p className="small muted alt" aria-hidden={Boolean(url)}>{alt}</p>}
          </li>
        )
      })}
    </ul>
  )
}
