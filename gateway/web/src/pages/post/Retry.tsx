import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Post, type Target } from '../../api/client'
import { noteRetry } from '../../api/queries'
import { Confirm } from '../../parts/Confirm'
import { Mark, platforms } from '../../parts/platforms'
import { failedTargets, isRefused, isUnknown } from '../../parts/post'
import { useToast } from '../../parts/toasts'
import { useWords, type Word } from '../../words'

// cannotLook are platforms that have no way at all to ask what an account has published; others may not tell.
const cannotLook = ['telegram']

// plan says what a retry would do with a target: send it again, look first, or leave out what may be there.
function plan(target: Target, acceptDuplicate: boolean): Word {
  if (isRefused(target)) return 'retry.refused'
  if (!isUnknown(target)) return 'retry.again'
  if (!cannotLook.includes(target.platform)) return acceptDuplicate ? 'retry.lookOr' : 'retry.look'
  return acceptDuplicate ? 'retry.duplicate' : 'retry.leave'
}

export function Retry({ post, close }: { post: Post; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  const failed = failedTargets(post)
  const [acceptDuplicate, setAccept] = useState(false)
  return (
    <Confirm
      title={t('retry.title')} action={t('retry.open')} close={close}
      run={async () => {
        const answer = await ask(api.POST('/posts/{id}/retry', { params: { path: { id: post.id } }, body: { acceptDuplicate } }))
        noteRetry(client, post.id)
        await Promise.all([['post', post.id], ['posts']].map((queryKey) => client.invalidateQueries({ queryKey })))
        const leftOut = answer.warnings?.map((w) => w.message) ?? []
        show({ tone: 'good', text: [t('retry.begun', { n: answer.retriedPlatforms.length }), ...leftOut].join(' · ') })
      }}
    >
      <p className="muted">{t('retry.about')}</p>
      <ul className="stack">
        {failed.map((target) => (
          <li className="row" style={{ alignItems: 'flex-start' }} key={target.platform + target.accountId}>
            <Mark platform={target.platform} />
            <span><span className="strong">{platforms[target.platform].name}</span><br /><span className="quiet">{t(plan(target, acceptDuplicate), { name: platforms[target.platform].name })}</span></span>
          </li>
        ))}
      </ul>
      {failed.some(isUnknown) && (
        <label className="row" style={{ alignItems: 'flex-start' }}>
          <input type="checkbox" checked={acceptDuplicate} onChange={(e) => setAccept(e.target.checked)} />
          <span>{t('retry.accept')}</span>
        </label>
      )}
    </Confirm>
  )
}
