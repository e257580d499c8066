import { Link } from '@tanstack/react-router'
import { Fragment, lazy, Suspense, useEffect, useState, type ReactNode } from 'react'
import { useLivePosts } from '../api/live'
import { useNeeds } from '../api/queries'
import { useMay, useSession, useSessionChanges, viewOf } from '../api/session'
import { Icon } from '../parts/Icon'
import { useToast } from '../parts/toasts'
import { useWords } from '../words'
import { PersonButton } from './PersonButton'
import { places, useGroups, type Place } from './places'
import { useScope } from './scope'
import { WorkspaceButton } from './WorkspaceButton'

const Palette = lazy(() => import('./Palette'))
const PersonMenu = lazy(() => import('./PersonMenu'))
const WorkspaceMenu = lazy(() => import('./WorkspaceMenu'))

// Shell stands around every page.
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useWords()
  const session = useSession()
  const { turn } = useSessionChanges()
  const { fail } = useToast()
  const mayPost = useMay('author')
  const [palette, setPalette] = useState(false)
  useScope(session)
  useLivePosts()
  useShortcut(() => setPalette(true))
  return (
    <div className="shell">
      <a className="hidden" href="#main">{t('skip')}</a>
      <Side openPalette={() => setPalette(true)} />
      <div className="content">
        <div className="stays">
          {session.test && (
            <div className="testing" role="status">
              <span>{t('mode.stripe')}</span>
              <button onClick={() => void turn({ test: false }).catch(fail)}>{t('mode.leave')}</button>
            </div>
          )}
          <header className="bar above">
            <Workspace />
            <span className="grow" />
            <button className="btn bare icon" aria-label={t('palette.open')} onClick={() => setPalette(true)}><Icon name="search" /></button>
            {mayPost && <Link className="btn main icon" to="/compose" aria-label={t('nav.compose')}><Icon name="plus" /></Link>}
            <Person />
          </header>
        </div>
        <Fragment key={viewOf(session)}>{children}</Fragment>
        <BarBelow />
      </div>
      {palette && <Suspense><Palette close={() => setPalette(false)} /></Suspense>}
    </div>
  )
}

// useShortcut opens the palette by Ctrl-K or ⌘K.
function useShortcut(openPalette: () => void) {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        openPalette()
      }
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [openPalette])
}

function Side({ openPalette }: { openPalette: () => void }) {
  const { t } = useWords()
  const { test } = useSession()
  const { turn } = useSessionChanges()
  const { fail } = useToast()
  const mayPost = useMay('author')
  const groups = useGroups()
  const mac = navigator.platform.startsWith('Mac')
  return (
    <aside className="side">
      <Workspace />
      {mayPost && <Link className="btn main" to="/compose" style={{ marginTop: 'var(--s2)' }}><Icon name="plus" /> {t('nav.compose')}</Link>}
      <nav className="nav" aria-label={t('nav.label')}>
        <button onClick={openPalette}><Icon name="search" /> {t('palette.open')} <kbd className="hint">{mac ? '⌘K' : 'Ctrl K'}</kbd></button>
        {places.map((p) => <PlaceLink key={p.to} place={p} />)}
        {groups.map((group) => (
          <Fragment key={group.word}>
            <p className="apart">{t(group.word)}</p>
            {group.places.map((p) => <PlaceLink key={p.to} place={p} />)}
          </Fragment>
        ))}
        <a href="/docs" target="_blank" rel="noreferrer"><Icon name="out" /> {t('nav.reference')}</a>
      </nav>
      <div className="foot">
        <button className="mode" data-test={test} onClick={() => void turn({ test: !test }).catch(fail)}>
          <span className="light" />
          <span className="grow">
            <span className="strong">{t(test ? 'mode.test' : 'mode.live')}</span>
            <br />
            <span className="small muted">{t(test ? 'mode.toLive' : 'mode.toTest')}</span>
          </span>
        </button>
        <Person />
      </div>
    </aside>
  )
}

function PlaceLink({ place }: { place: Place }) {
  const { t } = useWords()
  return (
    <Link to={place.to} activeOptions={{ includeSearch: false }}>
      <Icon name={place.icon} /> {t(place.word)}
      {place.to === '/needs' && <Count />}
    </Link>
  )
}

function Count() {
  const { t } = useWords()
  const { needs } = useNeeds()
  if (needs.length === 0) return null
  return <span className="count numbers" aria-label={t('needs.count', { n: needs.length })} role="img">{needs.length}</span>
}

function BarBelow() {
  const { t } = useWords()
  return (
    <nav className="bar below" aria-label={t('nav.label')}>
      {places.map((p) => (
        <Link key={p.to} to={p.to} activeOptions={{ includeSearch: false }}>
          <Icon name={p.icon} size={18} />
          {t(p.word)}
          {p.to === '/needs' && <Count />}
        </Link>
      ))}
      <MorePlaces />
    </nav>
  )
}

// MorePlaces leads to the pages that there is no room for.
function MorePlaces() {
  const { t } = useWords()
  const [isAsked, setAsked] = useState(false)
  const button = <button aria-haspopup="menu" onClick={() => setAsked(true)}><Icon name="more" size={18} />{t('more')}</button>
  if (!isAsked) return button
  return <Suspense fallback={button}><WorkspaceMenu target={button} position="top-end" /></Suspense>
}

// Workspace and Person have their menus read when they are asked for: most visits need none.
function Workspace() {
  const [isAsked, setAsked] = useState(false)
  if (!isAsked) return <WorkspaceButton onClick={() => setAsked(true)} />
  return <Suspense fallback={<WorkspaceButton />}><WorkspaceMenu /></Suspense>
}

function Person() {
  const [isAsked, setAsked] = useState(false)
  if (!isAsked) return <PersonButton onClick={() => setAsked(true)} />
  return <Suspense fallback={<PersonButton />}><PersonMenu /></Suspense>
}
