import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { postsOf } from '../../api/queries'
import { useMay } from '../../api/session'
import { Icon } from '../../parts/Icon'
import { Listing } from '../../parts/Listing'
import { Empty, Page } from '../../parts/Page'
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
        <Listing query={drafts} items={drafts.data} rows={4} empty={<Empty icon="draft" title={t('drafts.none')} action={compose}>{t('drafts.noneAbout')}</Empty>}>
          {(post) => <PostRow key={post.id} post={post} actions={mayPost && <Link className="btn low" to="/compose" search={{ edit: post.id }}>{t('post.edit')}</Link>} />}
        </Listing>
      </div>
    </Page>
  )
}
