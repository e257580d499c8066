import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { postsOf } from '../../api/queries'
import { useMay } from '../../api/session'
import { Icon } from '../../parts/Icon'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { PostRow } from '../../parts/PostRow'
import { useWords } from '../../words'

export function DraftsPage() {
  const { t } = useWords()
  const drafts = useQuery(postsOf({ status: 'draft' }))
  const mayPost = useMay('author')
  const compose = mayPost && <Link className="btn main" to="/compose"><Icon name="plus" /> {t('nav.compose')}</Link>
  return (
    <Page name={t('nav.drafts')} title={t('nav.drafts')} about={t('drafts.about')}>
      <div className="card">
        {drafts.isPending && <Waiting />}
        {drafts.error && <div className="body"><Problem error={drafts.error} retry={() => void drafts.refetch()} /></div>}
        {drafts.data?.length === 0 && <Empty icon="draft" title={t('drafts.none')} action={compose}>{t('drafts.noneAbout')}</Empty>}
        {drafts.data && drafts.data.length > 0 && (
          <ul className="list">
            {drafts.data.map((post) => <PostRow key={post.id} post={post} actions={mayPost && <Link className="btn low" to="/compose" search={{ edit: post.id }}>{t('post.edit')}</Link>} />)}
          </ul>
        )}
      </div>
    </Page>
  )
}
