import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Post } from '../../api/client'
import { queues } from '../../api/queries'
import { Confirm, Dialog } from '../../parts/Confirm'
import { Problem, Waiting } from '../../parts/Page'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

// Enqueue asks before a draft gets the next place of its queue, and says which that would be.
export function Enqueue({ post, close }: { post: Post; close: () => void }) {
  const { t, time } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  const all = useQuery(queues).data
  const add = async (dryRun: boolean) =>
    (await ask(api.PATCH('/posts/{id}', { params: { path: { id: post.id } }, body: { queue: true, dryRun } }))).post
  const judged = useQuery({ queryKey: ['post', post.id, 'enqueued'], queryFn: () => add(true), gcTime: 0 })
  const title = t('enqueue.title')
  if (judged.error) return <Dialog title={title} close={close}><Problem error={judged.error} /></Dialog>
  if (!judged.data) return <Dialog title={title} close={close}><Waiting rows={2} /></Dialog>
  const about = ({ scheduledFor, queueId }: Post) =>
    t('enqueue.about', { time: time.full(scheduledFor ?? ''), name: all?.find((q) => q.id === queueId)?.name ?? '' })
  return (
    <Confirm
      title={title} action={t('compose.enqueue')} close={close}
      run={async () => {
        const queued = await add(false)
        for (const queryKey of [['posts'], ['post', post.id], ['queues']]) void client.invalidateQueries({ queryKey })
        const isAsSaid = queued.scheduledFor === judged.data.scheduledFor // somebody may have had that place meanwhile
        show({ tone: 'good', text: isAsSaid ? t('compose.sentQueue') : about(queued) })
      }}
    >
      <p>{about(judged.data)}</p>
    </Confirm>
  )
}
