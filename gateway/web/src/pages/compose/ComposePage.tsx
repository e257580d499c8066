import './compose.css'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Post, Schemas } from '../../api/client'
import { postOf, threadOf, useAccounts } from '../../api/queries'
import { useMay } from '../../api/session'
import { NoAccounts } from '../../parts/NoAccounts'
import { Page, Problem, Waiting } from '../../parts/Page'
import { resendable } from '../../parts/post'
import type { ComposeSearch } from '../../router'
import { useWords } from '../../words'
import { Accounts } from './Accounts'
import { Editor } from './Editor'
import { useKept, type Beginning } from './kept'
import { Preview } from './preview/Preview'
import { Send } from './Send'
import { Times } from './Times'
import { under, useValidities, type Validity } from './validity'
import { blank, brandOf, fieldsOf, isBlank, offeredTimes, ofPost, voices, type Writing } from './writing'

const Settings = lazy(() => import('./settings/Settings'))

// ComposePage begins with nothing, with a post that is changed, or with one that is copied.
export function ComposePage() {
  const { t } = useWords()
  const search = useSearch({ from: '/compose' })
  const { edit, copy } = search
  const from = edit ?? copy
  const post = useQuery({ ...postOf(from ?? ''), enabled: Boolean(from), staleTime: 0, gcTime: 0 })
  const thread = useQuery(threadOf(post.data?.threadId))
  const { isPending, all } = useAccounts()
  const title = t(edit ? 'compose.edit' : 'compose.title')
  const error = from ? post.error ?? thread.error : null
  if (error) return <Page name={title} title={title}><Problem error={error} /></Page>
  if (isPending || (from && !post.data) || (post.data?.threadId && !thread.data)) return <Page name={title} title={title}><div className="card"><Waiting /></div></Page>
  if (all.length === 0) {
    return (
      <Page name={title} title={title}>
        <NoAccounts />
      </Page>
    )
  }
  return <Composer key={JSON.stringify(search)} edited={edit ? post.data : undefined} beginning={post.data ? ofSource(search, post.data, thread.data) : ofNew(search)} />
}

// ofSource begins with a post that is changed, in the version that there is, or copied.
function ofSource({ edit, only }: ComposeSearch, post: Post, thread?: Schemas['Thread']): Beginning {
  const name = edit ?? `copy.${post.id}.${only ?? ''}`
  return { name, origin: edit && post.updatedAt, start: { ...ofPost(post, thread), ...(only ? resent(post) : {}) } }
}

// ofNew begins with nothing. There is one new post at a time: another time or queue is that one's.
function ofNew({ at, queue }: ComposeSearch): Beginning {
  const start = { ...blank(at), ...(queue ? { when: 'queue' as const, queueId: queue } : {}) }
  const { when, at: time, queueId } = start
  return { name: 'new', origin: at ?? queue, start, adopt: (kept) => (at || queue ? { ...kept, when, at: time, queueId } : kept) }
}

// unbegun leaves out what is wrong with a post that says nothing yet: it is about to.
const unbegun = (validity: Validity): Validity => ({ ...validity, findings: under(validity.findings, 'platformSettings') })

// resent is what a copy has of its own that is for those alone who refused the post.
const resent = (post: Post) => ({ accounts: resendable(post).map((target) => target.accountId), when: 'now' as const })

function Composer({ edited, beginning }: { edited?: Post; beginning: Beginning }) {
  const { t } = useWords()
  const { byId, brands } = useAccounts()
  const { writing: kept, setWriting, isKept, restart, forget } = useKept(beginning)
  const offered = offeredTimes(useMay('editor'))
  const writing = { ...kept, when: offered.includes(kept.when) ? kept.when : (offered[0] ?? 'draft') }
  const [shown, show] = useState('') // the account whose text is written; empty: everybody's
  const [previewed, preview] = useState('')
  const judged = useValidities(writing.entries.map((e) => fieldsOf(writing, e, byId)))
  const validities = isBlank(writing) ? judged.map(unbegun) : judged
  const change = (next: Partial<Writing>) => setWriting((w) => ({ ...w, ...next }))
  const speaking = voices(writing, byId)
  const voice = { shown: speaking.some((a) => a.id === shown) ? shown : '', show: (id: string) => { show(id); preview(id) } }
  const platforms = [...new Set(speaking.map((a) => a.platform))]
  const error = validities.find((v) => v.error)?.error
  const title = t(edited ? 'compose.edit' : 'compose.title')
  return (
    <Page
      name={title} title={title} about={isKept && edited && t('compose.unsaved')}
      actions={isKept && !isBlank(writing) && <button className="btn bare" onClick={restart}>{t('compose.restart')}</button>}
    >
      <div className="compose">
        <div className="stack wider">
          <Accounts brands={brands} chosen={writing.accounts} choose={(accounts) => change({ accounts })} />
          <Editor writing={writing} accounts={byId} validities={validities} voice={voice} setWriting={setWriting} exists={edited !== undefined} />
          {error && <Problem error={error} />}
          {platforms.length > 0 && (
            <Suspense>
              <Settings of={platforms} settings={writing.settings} findings={validities[0]?.findings ?? []} change={(settings) => change({ settings })} />
            </Suspense>
          )}
        </div>
        <div className="stack wider beside">
          <section className="card" aria-label={t('compose.when')}>
            <div className="body stack">
              <Times writing={writing} brandId={brandOf(writing, byId)} offered={offered} change={change} />
              <Send writing={writing} edited={edited} isValid={validities.every((v) => v.isValid)} forget={forget} />
            </div>
          </section>
          <Preview writing={writing} voices={speaking} shown={previewed} show={preview} />
        </div>
      </div>
    </Page>
  )
}
