import { useQuery } from '@tanstack/react-query'
import { api, ask, type Post } from '../../api/client'
import { PostRow } from '../../parts/PostRow'
import { useWords } from '../../words'

// readUses reads the newest posts that an upload is kept for.
async function readUses(id: string): Promise<Post[]> {
  const { usedBy: ids = [] } = (await ask(api.GET('/media/{id}', { params: { path: { id } } }))).media
  if (ids.length === 0) return []
  return (await ask(api.POST('/posts/lookup', { body: { ids } }))).posts.reverse()
}

// Uses are the posts that use an upload; nothing where none does.
export function Uses({ id }: { id: string }) {
  const { t } = useWords()
  const { data = [] } = useQuery({ queryKey: ['media', id, 'uses'], queryFn: () => readUses(id) })
  if (data.length === 0) return null
  return (
    <section aria-label={t('library.usedBy')}>
      <h3 className="label">{t('library.usedBy')}</h3>
      <ul className="list uses">{data.map((post) => <PostRow key={post.id} post={post} />)}</ul>
    </section>
  )
}
