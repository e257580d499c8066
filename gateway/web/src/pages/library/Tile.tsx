import { ownPath } from '../../api/client'
import { Icon } from '../../parts/Icon'
import { useWords } from '../../words'
import { durationOf, sizeOf, type Media } from './media'

// Tile is an upload in the grid.
export function Tile({ media, open }: { media: Media; open: () => void }) {
  const { t, time } = useWords()
  const name = media.fileName ?? t('library.unnamed')
  return (
    <li>
      <button className="tile" onClick={open}>
        <span className="shot"><Shot media={media} />{media.duration !== undefined && <span className="length numbers">{durationOf(media.duration)}</span>}</span>
        <span className="clip strong">{name}</span>
        <span className="row small muted">
          <span className="clip">{media.size === undefined ? t('library.awaited') : sizeOf(media.size, time.locale)}</span>
          {media.url && !media.altText && media.type !== 'pdf' && <span className="pill warn">{t('library.noAlt')}</span>}
        </span>
      </button>
    </li>
  )
}

function Shot({ media }: { media: Media }) {
  if (media.url && media.type === 'image') return <img src={ownPath(media.url)} alt="" loading="lazy" />
  if (media.url && media.type === 'video') return <video src={ownPath(media.url)} preload="metadata" muted tabIndex={-1} />
  return <Icon name={media.url ? 'draft' : 'clock'} size={24} />
}
