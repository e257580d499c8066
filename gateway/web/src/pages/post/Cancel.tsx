import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, ask, type Post } from '../../api/client'
import { Confirm } from '../../parts/Confirm'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

// Cancel asks before a post is cancelled, or a draft is deleted.
export function Cancel({ post, close }: { post: Post; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { show } = useToast()
  const isDraft = post.status === 'draft'
  return (
    <Confirm
      title={t(isDraft ? 'cancel.draft' : 'cancel.title')} action={t(isDraft ? 'post.delete' : 'post.cancel')} tone="bad" close={close}
      run={async () => {
        await ask(api.DELETE('/posts/{id}', { params: { path: { id: post.id } } }))
        if (isDraft) await navigate({ to: '/drafts' })
        void client.invalidateQueries({ queryKey: ['posts'] })
        void client.invalidateQueries({ queryKey: ['post', post.id] })
        show({ tone: 'good', text: t(isDraft ? 'cancel.draftDone' : 'cancel.done') })
      }}
    >
      <p>{t(isDraft ? 'cancel.draftAbout' : 'cancel.about')}</p>
    </Confirm>
  )
}
