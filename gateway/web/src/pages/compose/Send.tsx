import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { api, ask, type Post, type Schemas } from '../../api/client'
import { useAccounts, type AccountsById } from '../../api/queries'
import { useSubmit } from '../../parts/Form'
import { Icon } from '../../parts/Icon'
import { Problem } from '../../parts/Page'
import { randomId } from '../../parts/random'
import { useToast } from '../../parts/toasts'
import { useWords, type Word } from '../../words'
import { changedTimesOf, fieldsOf, hasRoom, isBlank, isThread, misfits, threadOf, timesOf, whenOf, type Entry, type Writing } from './writing'

const sent: Record<Writing['when'], Word> = { now: 'compose.sentNow', at: 'compose.sentAt', queue: 'compose.sentQueue', draft: 'compose.sentDraft' }
const names: Record<Writing['when'], Word> = { now: 'compose.publish', at: 'compose.schedule', queue: 'compose.enqueue', draft: 'compose.keep' }

type SendProps = { writing: Writing; edited?: Post; isValid: boolean; forget: () => void }

// Send creates or changes the post. Sent once more after an answer was lost, it is the same request, which
// the API answers as before and makes no second post.
export function Send({ writing, edited, isValid, forget }: SendProps) {
  const { t } = useWords()
  const { byId } = useAccounts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { show } = useToast()
  const request = useRef({ body: '', key: '' })
  const { run, busy, error } = useSubmit(async () => {
    const id = edited ? await update(edited, writing, byId) : await create(request.current, writing, byId)
    forget()
    for (const queryKey of [['posts'], ['post', id], ['queues']]) void client.invalidateQueries({ queryKey })
    await navigate({ to: '/posts/$id', params: { id } })
    show({ tone: 'good', text: t(keepsTime ? 'compose.changed' : sent[writing.when]) })
  })
  const keepsTime = edited !== undefined && whenOf(edited) === writing.when
  const isDraft = writing.when === 'draft'
  const isEmpty = writing.accounts.length === 0
  const isMisplaced = misfits(writing, byId).length > 0 || !hasRoom(writing)
  const isTimeless = writing.when === 'at' && !writing.at
  const isRefused = isMisplaced || (!isDraft && !isValid)
  return (
    <>
      {error !== null && <Problem error={error} />}
      <button className="btn main" disabled={busy || isEmpty || isRefused || isTimeless} onClick={() => run()}>
        <Icon name={isDraft ? 'draft' : 'check'} /> {t(keepsTime ? 'save' : names[writing.when])}
      </button>
      {isEmpty && <p className="small muted">{t(isDraft ? 'compose.chooseForDraft' : 'compose.chooseFirst')}</p>}
      {!isEmpty && !isRefused && isTimeless && <p className="small muted">{t('compose.chooseTime')}</p>}
      {!isEmpty && isRefused && <p className="small muted">{t(isBlank(writing) ? 'compose.writeFirst' : 'compose.fixFirst')}</p>}
    </>
  )
}

// create makes the post or the thread, and returns the post's id.
async function create(request: { body: string; key: string }, writing: Writing, accounts: AccountsById): Promise<string> {
  const times = timesOf(writing)
  const written = JSON.stringify(isThread(writing) ? { ...threadOf(writing, accounts), ...times } : { ...fieldsOf(writing, first(writing), accounts), ...times })
  if (request.body !== written) {
    request.body = written
    request.key = randomId()
  }
  const params = { header: { 'Idempotency-Key': request.key } }
  if (isThread(writing)) return (await ask(api.POST('/threads', { params, body: JSON.parse(written) as Schemas['ThreadCreate'] }))).thread.postId
  return (await ask(api.POST('/posts', { params, body: JSON.parse(written) as Schemas['PostCreate'] }))).post.id
}

// update changes the fields, of a thread all but its entries; an empty list clears what was there.
async function update(post: Post, writing: Writing, accounts: AccountsById): Promise<string> {
  const { posts: _, ...thread } = threadOf(writing, accounts)
  const fields = isThread(writing) ? thread : fieldsOf(writing, first(writing), accounts)
  await ask(api.PATCH('/posts/{id}', { params: { path: { id: post.id } }, body: { ...fields, ...changedTimesOf(writing, post) } }))
  return post.id
}

const first = (writing: Writing) => writing.entries[0] as Entry
