import { useQuery } from '@tanstack/react-query'
import { ownPath } from '../../api/client'
import { mediaOf } from '../../api/queries'
import { Icon } from '../../parts/Icon'
import { SendingRow } from '../../parts/SendingRow'
import type { Uploads } from '../../parts/uploads'
import { useWords } from '../../words'
import { described, Found } from './Found'
import { under, type Finding } from './validity'
import { moved, type Item } from './writing'

type MediaItemsProps = { media: Item[]; findings: Finding[]; uploads: Uploads; setMedia: (media: Item[]) => void }

// MediaItems are what goes with an entry, in its order, and what is still on its way.
export function MediaItems({ media, findings, uploads, setMedia }: MediaItemsProps) {
  return (
    <>
      {media.length + uploads.sending.length > 0 && (
        <ul className="attached">
          {media.map((item, i) => (
            <MediaRow
              key={(item.mediaId ?? item.url ?? '') + i} item={item} findings={under(findings, `mediaItems[${i}]`)}
              set={(next) => setMedia(media.map((m, at) => (at === i ? { ...m, ...next } : m)))}
              earlier={i > 0 ? () => setMedia(moved(media, i, i - 1)) : undefined}
              remove={() => setMedia(media.filter((_, at) => at !== i))}
            />
          ))}
          {uploads.sending.map((s) => <SendingRow key={s.id} of={s} uploads={uploads} />)}
        </ul>
      )}
      <Found of={findings.filter((f) => f.field === 'mediaItems')} />
    </>
  )
}

type MediaRowProps = { item: Item; findings: Finding[]; set: (next: Partial<Item>) => void; earlier?: () => void; remove: () => void }

function MediaRow({ item, findings, set, earlier, remove }: MediaRowProps) {
  const { t } = useWords()
  const id = `found-${item.mediaId ?? item.url}`
  return (
    <li>
      <Thumb item={item} />
      <div className="grow stack tight">
        <input
          className="input" aria-label={t('media.alt')} placeholder={t('media.alt')} maxLength={1000}
          value={item.altText} onChange={(e) => set({ altText: e.target.value })} {...described(findings.filter((f) => f.field.endsWith('.altText')), id)}
        />
        <Found of={findings} id={id} />
        {(isCurable(findings) || (item.fit ?? 'none') !== 'none') && <Fit item={item} set={set} />}
      </div>
      {earlier && <button className="btn bare low icon" aria-label={t('media.earlier')} onClick={earlier}><Icon name="up" size={14} /></button>}
      <button className="btn bare low icon" aria-label={t('media.remove')} onClick={remove}><Icon name="x" size={14} /></button>
    </li>
  )
}

// isCurable tells whether a refusal says that fit makes of it what the platform takes.
const isCurable = (findings: Finding[]) => findings.some((f) => f.message.includes('with "fit"'))

const fits = { none: 'media.fitNone', contain: 'media.fitContain', cover: 'media.fitCover' } as const

function Fit({ item, set }: Pick<MediaRowProps, 'item' | 'set'>) {
  const { t } = useWords()
  return (
    <div className="row wrap">
      <span className="label">{t('media.fit')}</span>
      <div className="tabs" role="group" aria-label={t('media.fit')}>
        {(Object.keys(fits) as (keyof typeof fits)[]).map((fit) => (
          <button key={fit} aria-pressed={(item.fit ?? 'none') === fit} onClick={() => set({ fit })}>{t(fits[fit])}</button>
        ))}
      </div>
    </div>
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
