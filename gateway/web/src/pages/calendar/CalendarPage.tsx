import './calendar.css'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useAccounts } from '../../api/queries'
import { useMay } from '../../api/session'
import { dateOf } from '../../parts/dates'
import { Icon } from '../../parts/Icon'
import { NoAccounts } from '../../parts/NoAccounts'
import { Empty, Page, Problem } from '../../parts/Page'
import { useWords } from '../../words'
import { calendarViews, type CalendarSearch, type CalendarView } from '../../router'
import { Filters } from './Filters'
import { Grid } from './Grid'
import { step, titleOf } from './range'
import { mostOfList, useShown } from './shown'

// useView is the view of the address; on a narrow screen it begins with the list, as a month is too much.
function useView(search: CalendarSearch): CalendarView {
  const [isNarrow] = useState(() => window.matchMedia('(max-width: 760px)').matches)
  return search.view ?? (isNarrow ? 'list' : 'month')
}

export function CalendarPage() {
  const { t, time } = useWords()
  const search = useSearch({ from: '/calendar' })
  const navigate = useNavigate({ from: '/calendar' })
  const view = useView(search)
  const day = search.date ?? dateOf(new Date())
  const { posts, drawn, free, isFiltered, rest, showMore } = useShown(search, view, day)
  const { all, isSuccess: isKnown } = useAccounts()
  const isNew = isKnown && all.length === 0 && posts.data?.length === 0
  const change = (next: Partial<CalendarSearch>) => void navigate({ search: (s) => ({ ...s, ...next }), replace: 'q' in next })
  return (
    <Page
      wide name={t('nav.calendar')} title={titleOf(view, day, time.locale)}
      actions={
        <>
          <div className="row" style={{ gap: 2 }}>
            <button className="btn bare icon" aria-label={t('calendar.before')} onClick={() => change({ date: step(view, day, -1) })}><Icon name="left" /></button>
            <button className="btn" onClick={() => change({ date: undefined })}>{t('calendar.today')}</button>
            <button className="btn bare icon" aria-label={t('calendar.after')} onClick={() => change({ date: step(view, day, 1) })}><Icon name="right" /></button>
          </div>
          <div className="tabs" role="group" aria-label={t('calendar.view')}>
            {calendarViews.map((v) => <button key={v} aria-pressed={v === view} onClick={() => change({ view: v })}>{t(`calendar.${v}`)}</button>)}
          </div>
        </>
      }
    >
      <Filters search={search} accounts={all} change={change} />
      {posts.error && <Problem error={posts.error} retry={() => void posts.refetch()} />}
      {posts.isSuccess && drawn.length + free.length === 0 && (view === 'list' || isFiltered) ? (
        <Nothing isFiltered={isFiltered} isNew={isNew} clear={() => change({ q: undefined, platform: undefined, account: undefined, brand: undefined, status: undefined })} />
      ) : (
        <>
          {isNew && <NoAccounts />}
          <Grid view={view} day={day} posts={drawn} slots={free} busy={posts.isPending} go={(next, date) => change({ view: next, date })} />
          {rest > 0 && <button className="btn" onClick={showMore}>{t('calendar.showMore', { n: Math.min(rest, mostOfList), of: rest })}</button>}
        </>
      )}
    </Page>
  )
}

// Nothing says why there is nothing to show, and what to do about it.
function Nothing({ isFiltered, isNew, clear }: { isFiltered: boolean; isNew: boolean; clear: () => void }) {
  const { t } = useWords()
  const mayPost = useMay('author')
  if (isNew && !isFiltered) return <NoAccounts />
  return (
    <div className="card">
      {isFiltered ? (
        <Empty icon="search" title={t('calendar.noneMatch')} action={<button className="btn" onClick={clear}>{t('calendar.clear')}</button>}>{t('calendar.noneMatchAbout')}</Empty>
      ) : (
        <Empty icon="calendar" title={t('calendar.none')} action={mayPost && <Link className="btn main" to="/compose"><Icon name="plus" /> {t('nav.compose')}</Link>}>{t('calendar.noneAbout')}</Empty>
      )}
    </div>
  )
}
