import './post.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Post, Target } from '../../api/client'
import { attemptsOf, postOf, pulse, queues, threadOf, useAccounts } from '../../api/queries'
import { useMay } from '../../api/session'
import { zone } from '../../parts/dates'
import { Icon } from '../../parts/Icon'
import { Page, Problem, Waiting } from '../../parts/Page'
import { platforms } from '../../parts/platforms'
import { changer, excerpt, failedTargets, isRetriable, resendable, standing } from '../../parts/post'
import { StatusPill } from '../../parts/Status'
import { useWords } from '../../words'
import { Cancel } from './Cancel'
import { Enqueue } from './Enqueue'
import { PublishNow } from './PublishNow'
import { Retry } from './Retry'
import { Said } from './Said'
import { Story } from './Story'
import { Targets } from './Targets'

// soon is how long before its time a post is watched closely, in milliseconds.
const soon = 60_000

// paceOf is how often a post is read: often while something happens to it.
function paceOf(post: Post | undefined): number {
  const isDue = post?.status === 'scheduled' && new Date(post.scheduledFor ?? 0).getTime() < Date.now() + soon
  return isDue || post?.status === 'processing' ? pulse / 2 : pulse * 4
}

// useAttempts reads the timeline of a post whenever the post has changed, and again a little later: some of its
// lines are written after the status that they are about.
function useAttempts(id: string, post: Post | undefined) {
  const query = useQuery({ ...attemptsOf(id), refetchInterval: () => paceOf(post) })
  const { refetch } = query
  const state = post && [post.updatedAt, post.status, ...post.platforms.map((p) => p.status)].join()
  useEffect(() => {
    if (state === undefined) return
    void refetch()
    const later = setTimeout(() => void refetch(), pulse)
    return () => clearTimeout(later)
  }, [state, refetch])
  return query
}

export function PostPage() {
  const { t, time } = useWords()
  const { id } = useParams({ from: '/posts/$id' })
  const post = useQuery({ ...postOf(id), refetchInterval: (q) => paceOf(q.state.data) })
  const attempts = useAttempts(id, post.data)
  const thread = useQuery({ ...threadOf(post.data?.threadId), refetchInterval: () => paceOf(post.data) })
  const { byId } = useAccounts()
  const mayRead = useMay('admin')
  if (post.error) return <Page name={t('post.name')} title={t('post.name')}><Problem error={post.error} retry={() => void post.refetch()} /></Page>
  if (!post.data) return <Page name={t('post.name')} title={t('post.name')}><div className="card"><Waiting /></div></Page>
  const p = post.data
  return (
    <Page
      name={excerpt(p, t).slice(0, 40)}
      title={<span className="row wrap">{p.scheduledFor ? time.full(p.scheduledFor) : t('post.noTime')} <StatusPill status={standing(p)} /></span>}
      about={<About post={p} />}
      actions={<Actions post={p} />}
    >
      <div className="post">
        <div className="stack" style={{ gap: 'var(--s4)' }}>
          <Said post={p} thread={thread.data} />
          <section className="card" aria-label={t('post.targets')}>
            <header><h2>{t('post.targets')}</h2></header>
            <Targets post={p} accounts={byId} />
          </section>
        </div>
        <section className="card" aria-label={t('story.title')}>
          <header><h2>{t('story.title')}</h2>{mayRead && <Link className="small" to="/audit" search={{ subject: id }}>{t('story.who')}</Link>}</header>
          {attempts.error ? <div className="body"><Problem error={attempts.error} /></div> : <Story post={p} attempts={attempts.data ?? []} accounts={byId} />}
        </section>
      </div>
    </Page>
  )
}

// About is the time in the post's own zone, where the reader's is another, and the queue that it came by.
function About({ post }: { post: Post }) {
  const { t, time } = useWords()
  const all = useQuery({ ...queues, enabled: Boolean(post.queueId) })
  const queue = all.data?.find((q) => q.id === post.queueId)
  const zoned = post.scheduledFor && post.timezone !== zone() && t('post.zone', { zone: post.timezone, time: time.in(post.timezone)(post.scheduledFor) })
  return (
    <>
      {zoned}
      {zoned && queue && ' · '}
      {queue && <Link to="/queues/$id" params={{ id: queue.id }}>{t('post.ofQueue', { name: queue.name })}</Link>}
    </>
  )
}

// namesOf are the platforms of some targets, as many as a button has room for.
function namesOf(targets: Target[]): string {
  const names = [...new Set(targets.map((target) => platforms[target.platform].name))]
  return names.slice(0, 2).join(', ') + (names.length > 2 ? ` +${names.length - 2}` : '')
}

function Actions({ post }: { post: Post }) {
  const { t } = useWords()
  const [open, setOpen] = useState<'cancel' | 'enqueue' | 'publish' | 'retry' | null>(null)
  const mayChange = useMay(changer(post))
  const mayPost = useMay('author')
  const mayPublish = useMay('editor')
  const hasQueue = Boolean(useQuery(queues).data?.length)
  const isOpen = post.status === 'scheduled' || post.status === 'draft'
  const hasFailed = failedTargets(post).length > 0
  const mayResend = mayPost && resendable(post).length > 0
  const isPartlyThere = hasFailed && post.platforms.some((p) => p.status === 'posted')
  return (
    <>
      {mayResend && <Link className="btn main" to="/compose" search={{ copy: post.id, only: 'refused' }}><Icon name="edit" /> {t('retry.change', { where: namesOf(resendable(post)) })}</Link>}
      {isRetriable(post) && mayChange && <button className={mayResend ? 'btn' : 'btn main'} onClick={() => setOpen('retry')}><Icon name="retry" /> {t('retry.open')}</button>}
      {isOpen && mayChange && <Link className="btn" to="/compose" search={{ edit: post.id }}><Icon name="edit" /> {t('post.edit')}</Link>}
      {mayPost && <Link className="btn" to="/compose" search={{ copy: post.id }}><Icon name="copy" /> {t(isPartlyThere ? 'post.copyAll' : 'post.copy')}</Link>}
      {post.status === 'draft' && mayPublish && hasQueue && <button className="btn" onClick={() => setOpen('enqueue')}><Icon name="clock" /> {t('compose.enqueue')}</button>}
      {isOpen && mayPublish && <button className="btn" onClick={() => setOpen('publish')}><Icon name="send" /> {t('compose.publish')}</button>}
      {isOpen && mayPublish && <button className="btn bad" onClick={() => setOpen('cancel')}><Icon name="trash" /> {t(post.status === 'draft' ? 'post.delete' : 'post.cancel')}</button>}
      {open === 'retry' && <Retry post={post} close={() => setOpen(null)} />}
      {open === 'enqueue' && <Enqueue post={post} close={() => setOpen(null)} />}
      {open === 'publish' && <PublishNow post={post} close={() => setOpen(null)} />}
      {open === 'cancel' && <Cancel post={post} close={() => setOpen(null)} />}
    </>
  )
}
