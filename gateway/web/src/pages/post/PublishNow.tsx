import { useQueryClient } from '@tanstack/react-query'
import { api, ask, type Post } from '../../api/client'
import { Confirm } from '../../parts/Confirm'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

// PublishNow asks before a draft or a scheduled post goes out at once.
export function PublishNow({ post, close }: { post: Post; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  return (
    <Confirm
      title={t('publishNow.title')} action={t('compose.publish')} close={close}
      run={async () => {
        await ask(api.PATCH('/posts/{id}', { params: { path: { id: post.id } }, body: { publishNow: true } }))
        for (const queryKey of [['posts'], ['post', post.id], ['queues']]) void client.invalidateQueries({ queryKey })
        show({ tone: 'good', text: t('compose.sentNow') })
      }}
    >
      <p>{t('publishNow.about', { n: post.platforms.length })}</p>
    </Confirm>
  )
}
