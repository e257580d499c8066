import type { Account, PlatformName } from '../../api/client'
import { Mark, platforms } from '../../parts/platforms'
import { useWords } from '../../words'
import { useMedia } from './MediaItems'
import type { Item, Writing } from './writing'

// pictureFirst are platforms on which the picture comes before what is said of it.
const pictureFirst: PlatformName[] = ['instagram', 'pinterest', 'tiktok', 'youtube']

// Preview shows about how a post looks on the platform of an account.
export function Preview({ writing, account }: { writing: Writing; account?: Account }) {
  const { t } = useWords()
  if (!account) return null
  const text = writing.own[account.id] ?? writing.text
  const isPictureFirst = pictureFirst.includes(account.platform)
  const media = writing.media.length > 0 && (
    <div className="shots" data-count={Math.min(writing.media.length, 4)}>
      {writing.media.slice(0, 4).map((m, i) => <Shot key={(m.mediaId ?? '') + i} item={m} />)}
    </div>
  )
  return (
    <section className="card" aria-label={t('preview.title')}>
      <header><h2>{t('preview.title')}</h2><span className="small muted">{platforms[account.platform].name}</span></header>
      <div className="body">
        <div className="preview" data-platform={account.platform}>
          <div className="row">
            <Mark platform={account.platform} size="big" />
            <span className="clip"><span className="strong">{account.name}</span><br /><span className="small muted">{t('preview.now')}</span></span>
          </div>
          {isPictureFirst && media}
          {text ? <p className="said quiet">{text}</p> : <p className="muted">{t('preview.empty')}</p>}
          {!isPictureFirst && media}
          {writing.firstComment.trim() && <p className="said quiet reply">{writing.firstComment}</p>}
        </div>
      </div>
    </section>
  )
}

function Shot({ item }: { item: Item }) {
  const url = useMedia(item)
  if (url && item.type === 'image') return <img src={url} alt={item.altText} />
  if (url && item.type === 'video') return <video src={url} muted preload="metadata" />
  return <span className="skeleton" />
}
