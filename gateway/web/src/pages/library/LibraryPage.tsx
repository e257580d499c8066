import './library.css'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api, ask } from '../../api/client'
import { useMay } from '../../api/session'
import { Icon } from '../../parts/Icon'
import { More } from '../../parts/Listing'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { SendingRow } from '../../parts/SendingRow'
import { useToast } from '../../parts/toasts'
import { useDrop, useUploads } from '../../parts/uploads'
import { useWords } from '../../words'
import { Details } from './Details'
import { matches } from './media'
import { Tile } from './Tile'

export function LibraryPage() {
  const { t } = useWords()
  const { q } = useSearch({ from: '/media' })
  const navigate = useNavigate({ from: '/media' })
  const mayUpload = useMay('author')
  const uploads = useLibraryUploads()
  const file = useRef<HTMLInputElement>(null)
  const drop = useDrop(uploads.send)
  return (
    <Page
      name={t('nav.media')} title={t('nav.media')} about={t(mayUpload ? 'library.about' : 'library.aboutReading')}
      actions={mayUpload && <button className="btn main" onClick={() => file.current?.click()}><Icon name="plus" /> {t('library.upload')}</button>}
    >
      <input ref={file} type="file" multiple hidden accept="image/*,video/*,application/pdf" onChange={(e) => { [...(e.target.files ?? [])].forEach(uploads.send); e.target.value = '' }} />
      <input className="input library-search" type="search" aria-label={t('library.search')} placeholder={t('library.search')} value={q ?? ''} onChange={(e) => void navigate({ search: { q: e.target.value || undefined }, replace: true })} />
      {uploads.sending.length > 0 && <ul className="card list">{uploads.sending.map((s) => <SendingRow key={s.id} of={s} uploads={uploads} />)}</ul>}
      <div className="library" data-over={mayUpload && drop.isOver} {...(mayUpload ? drop.props : {})}>
        <Tiles q={q ?? ''} />
      </div>
    </Page>
  )
}

// useLibraryUploads sends files, and reads the library again as each has come.
function useLibraryUploads() {
  const { t } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  return useUploads(({ name }) => {
    void client.invalidateQueries({ queryKey: ['library'] })
    show({ tone: 'good', text: t('library.uploaded', { name }) })
  })
}

// useLibrary reads uploads, newest first; all of them while something is searched for.
function useLibrary(q: string) {
  const pages = useInfiniteQuery({
    queryKey: ['library'],
    queryFn: async ({ pageParam }) => ask(api.GET('/media', { params: { query: { limit: 60, cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.pagination.nextCursor,
  })
  const { hasNextPage, isFetching, fetchNextPage } = pages
  useEffect(() => {
    if (q && hasNextPage && !isFetching) void fetchNextPage()
  }, [q, hasNextPage, isFetching, fetchNextPage])
  return pages
}

function Tiles({ q }: { q: string }) {
  const { t } = useWords()
  const pages = useLibrary(q)
  const [open, setOpen] = useState<string>()
  const all = pages.data?.pages.flatMap((p) => p.media) ?? []
  const shown = all.filter((m) => matches(m, q))
  const opened = all.find((m) => m.id === open)
  if (pages.isPending) return <div className="card"><Waiting /></div>
  if (pages.error) return <Problem error={pages.error} retry={() => void pages.refetch()} />
  if (all.length === 0) return <div className="card"><Empty icon="image" title={t('library.none')}>{t('library.noneAbout')}</Empty></div>
  return (
    <>
      {shown.length === 0 && !pages.hasNextPage && <div className="card"><Empty icon="search" title={t('calendar.noneMatch')} /></div>}
      <ul className="tiles">{shown.map((m) => <Tile key={m.id} media={m} open={() => setOpen(m.id)} />)}</ul>
      <More of={pages} />
      {opened && <Details media={opened} close={() => setOpen(undefined)} />}
    </>
  )
}
