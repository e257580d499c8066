import './compose.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { api, ask, type Post } from '../../api/client'
import { postOf, useAccounts } from '../../api/queries'
import { useMay } from '../../api/session'
import { useSubmit } from '../../parts/Form'
import { Icon } from '../../parts/Icon'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { useToast } from '../../parts/toasts'
import { useWords, type Word } from '../../words'
import { Accounts } from './Accounts'
import { Editor } from './Editor'
import { useKept } from './kept'
import { Preview } from './Preview'
import { Times } from './Times'
import { useValidity } from './validity'
import { blank, fieldsOf, offeredTimes, ofPost, timesOf, type Writing } from './writing'

// ComposePage begins with nothing, with a post that is changed, or with one that is copied.
export function ComposePage() {
  const { t } = useWords()
  const { edit, copy, at } = useSearch({ from: '/compose' })
  const from = edit ?? copy
  const post = useQuery({ ...postOf(from ?? ''), enabled: Boolean(from), staleTime: 0, gcTime: 0 })
  const { isPending, all } = useAccounts()
  const mayConnect = useMay('admin')
  const title = t(edit ? 'compose.edit' : 'compose.title')
  if (from && post.error) return <Page name={title} title={title}><Problem error={post.error} /></Page>
  if (isPending || (from && !post.data)) return <Page name={title} title={title}><div className="card"><Waiting /></div></Page>
  if (all.length === 0) {
    return (
      <Page name={title} title={title}>
        <div className="card">
          <Empty icon="people" title={t('compose.noAccounts')} action={mayConnect && <Link className="btn main" to="/accounts">{t('accounts.connect')}</Link>}>{t('compose.noAccountsAbout')}</Empty>
        </div>
      </Page>
    )
  }
  const begin = post.data ? ofPost(post.data) : at ? blank(at) : undefined
  return <Composer key={`${edit} ${copy} ${at}`} name={edit ?? 'new'} edited={edit ? post.data : undefined} begin={begin} />
}

function Composer({ name, edited, begin }: { name: string; edited?: Post; begin?: Writing }) {
  const { t } = useWords()
  const { byId, brands } = useAccounts()
  const { writing: kept, setWriting, wasKept, forget } = useKept(name, begin)
  const offered = offeredTimes(useMay('editor'), edited)
  const writing = { ...kept, when: offered.includes(kept.when) ? kept.when : (offered[0] ?? 'draft') }
  const [shown, setShown] = useState('') // the account whose text is edited; empty: the common one
  const fields = fieldsOf(writing, byId)
  const validity = useValidity(fields)
  const change = (next: Partial<Writing>) => setWriting((w) => ({ ...w, ...next }))
  const choose = (accounts: string[]) => {
    change({ accounts })
    if (!accounts.includes(shown)) setShown('')
  }
  const title = t(edited ? 'compose.edit' : 'compose.title')
  return (
    <Page
      name={title} title={title}
      actions={wasKept && writing.text !== '' && !edited && <button className="btn bare" onClick={() => setWriting(blank())}>{t('compose.restart')}</button>}
    >
      <div className="compose">
        <div className="stack" style={{ gap: 'var(--s4)' }}>
          <Accounts brands={brands} chosen={writing.accounts} validity={validity.data} choose={choose} />
          <Editor writing={writing} accounts={byId} validity={validity.data} shown={shown} show={setShown} change={change} setWriting={setWriting} />
          {validity.error && <Problem error={validity.error} />}
        </div>
        <div className="stack" style={{ gap: 'var(--s4)' }}>
          <section className="card" aria-label={t('compose.when')}>
            <div className="body stack">
              <Times writing={writing} offered={offered} change={change} />
              <Send writing={writing} edited={edited} isValid={validity.data?.isValid ?? true} forget={forget} />
            </div>
          </section>
          <Preview writing={writing} account={byId.get(shown || writing.accounts[0] || '')} />
        </div>
      </div>
    </Page>
  )
}

const sent: Record<Writing['when'], Word> = { now: 'compose.sentNow', at: 'compose.sentAt', queue: 'compose.sentQueue', draft: 'compose.sentDraft' }
const names: Record<Writing['when'], Word> = { now: 'compose.publish', at: 'compose.schedule', queue: 'compose.enqueue', draft: 'compose.keep' }

type SendProps = { writing: Writing; edited?: Post; isValid: boolean; forget: () => void }

// Send creates or changes the post. Sent once more after an answer was lost, it is the same request, which
// the API answers as before and makes no second post.
function Send({ writing, edited, isValid, forget }: SendProps) {
  const { t } = useWords()
  const { byId } = useAccounts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { show } = useToast()
  const request = useRef({ body: '', key: '' })
  const { run, busy, error } = useSubmit(async () => {
    const body = { ...fieldsOf(writing, byId), ...timesOf(writing) }
    const { post } = edited ? await update(edited, writing, body) : await create(request.current, body)
    forget()
    void client.invalidateQueries({ queryKey: ['posts'] })
    void client.invalidateQueries({ queryKey: ['post', post.id] })
    show({ tone: 'good', text: t(edited ? 'compose.changed' : sent[writing.when]) })
    await navigate({ to: '/posts/$id', params: { id: post.id } })
  })
  const isEmpty = writing.accounts.length === 0
  const isRefused = writing.when !== 'draft' && !isValid
  return (
    <>
      {error !== null && <Problem error={error} />}
      <button className="btn main" disabled={busy || isEmpty || isRefused} onClick={() => run()}>
        <Icon name={writing.when === 'draft' ? 'draft' : 'check'} /> {t(edited ? 'compose.save' : names[writing.when])}
      </button>
      {isEmpty && <p className="small muted">{t('compose.chooseFirst')}</p>}
      {!isEmpty && isRefused && <p className="small muted">{t('compose.fixFirst')}</p>}
    </>
  )
}

type Body = ReturnType<typeof fieldsOf> & ReturnType<typeof timesOf>

async function create(request: { body: string; key: string }, body: Body) {
  const written = JSON.stringify(body)
  if (request.body !== written) {
    request.body = written
    request.key = [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('')
  }
  return ask(api.POST('/posts', { params: { header: { 'Idempotency-Key': request.key } }, body }))
}

// update changes the fields; an empty list clears the comments that were there.
async function update(post: Post, writing: Writing, body: Body) {
  const { status: _, ...fields } = body
  const status = writing.when === 'draft' ? ('draft' as const) : ('scheduled' as const)
  const change = {
    ...fields, ...('firstComment' in fields ? {} : { firstComments: [] }), ...(post.status === status ? {} : { status }),
  }
  return ask(api.PATCH('/posts/{id}', { params: { path: { id: post.id } }, body: change }))
}
