import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, ownPath } from '../../api/client'
import { useMay } from '../../api/session'
import { Confirm, Dialog } from '../../parts/Confirm'
import { Icon } from '../../parts/Icon'
import { useWords } from '../../words'
import { Description } from './Description'
import { durationOf, sizeOf, type Media } from './media'
import { Uses } from './Uses'

// Details show an upload and all that is known of it.
export function Details({ media, close }: { media: Media; close: () => void }) {
  const { t, time } = useWords()
  const [isDeleting, setDeleting] = useState(false)
  const mayDescribe = useMay('author')
  const mayDelete = useMay('editor')
  const name = media.fileName ?? t('library.unnamed')
  const facts: [string, string | undefined][] = [
    [t('library.alt'), mayDescribe ? undefined : media.altText || t('library.noAlt')],
    [t('library.kind'), [media.mimeType, media.size !== undefined && sizeOf(media.size, time.locale), media.width && `${media.width} × ${media.height}`, media.duration !== undefined && durationOf(media.duration)].filter(Boolean).join(' · ')],
    [t('library.since'), time.full(media.createdAt)],
    [t('library.stays'), media.expiresAt ? t('library.until', { time: time.full(media.expiresAt) }) : t('library.used')],
  ]
  if (isDeleting) return <Deleting media={media} name={name} close={close} />
  return (
    <Dialog title={name} close={close} size={640}>
      <div className="stack">
        {media.url && <Large media={media} url={ownPath(media.url)} />}
        {mayDescribe && <Description media={media} />}
        <dl className="facts plain">{facts.filter(([, value]) => value).map(([what, value]) => <div key={what}><dt>{what}</dt><dd>{value}</dd></div>)}</dl>
        <Uses id={media.id} />
        <div className="row end">
          {mayDelete && <button className="btn bad" onClick={() => setDeleting(true)}>{t('delete')}</button>}
          {media.url && <a className="btn" href={ownPath(media.url)} target="_blank" rel="noreferrer"><Icon name="out" size={14} /> {t('post.open')}</a>}
        </div>
      </div>
    </Dialog>
  )
}

function Large({ media, url }: { media: Media; url: string }) {
  if (media.type === 'image') return <img className="large" src={url} alt={media.altText ?? ''} />
  if (media.type === 'video') return <video className="large" src={url} controls preload="metadata" aria-label={media.altText ?? media.fileName} />
  return null
}

function Deleting({ media, name, close }: { media: Media; name: string; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  return (
    <Confirm
      title={t('library.deleteTitle', { name })} action={t('delete')} tone="bad" close={close}
      run={async () => {
        await ask(api.DELETE('/media/{id}', { params: { path: { id: media.id } } }))
        await client.invalidateQueries({ queryKey: ['library'] })
      }}
    ><p>{t('library.deleteAbout')}</p></Confirm>
  )
}
