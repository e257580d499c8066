import { Link } from '@tanstack/react-router'
import { useWords } from '../words'
import { Empty } from './Page'

// Broken stands where a page could not be read or drawn; the shell around it stays.
export function Broken() {
  const { t } = useWords()
  return (
    <main className="page">
      <Empty heading="h1" icon="alert" title={t('broken.title')} action={<button className="btn" onClick={() => window.location.reload()}>{t('again')}</button>}>
        {t('broken.about')}
      </Empty>
    </main>
  )
}

export function Missing() {
  const { t } = useWords()
  return (
    <main className="page">
      <Empty heading="h1" icon="search" title={t('missing.title')} action={<Link className="btn" to="/calendar">{t('missing.back')}</Link>}>
        {t('missing.about')}
      </Empty>
    </main>
  )
}
