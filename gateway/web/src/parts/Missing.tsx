import { Link } from '@tanstack/react-router'
import { useWords } from '../words'
import { Empty } from './Page'

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
