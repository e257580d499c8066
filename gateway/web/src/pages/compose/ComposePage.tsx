import './compose.css'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Post } from '../../api/client'
import { postOf, threadOf, useAccounts } from '../../api/queries'
import { useMay } from '../../api/session'
import { NoAccounts } from '../../parts/NoAccounts'
import { Page, Problem, Waiting } from '../../parts/Page'
import { resendable } from '../../parts/post'
import { useWords } from '../../words'
import { Accounts } from './Accounts'
import { Editor } from './Editor'
import { useKept } from './kept'
import { Preview } from './preview/Preview'
import { Send } from './Send'
import { Times } from './Times'
import { under, useValidities, type Validity } from './validity'
import { blank, brandOf, fieldsOf, isBlank, offeredTimes, ofPost, voices, type Writing } from './writing'

const Settings = lazy(() => import('./settings/Settings'))

// ComposePage begins with nothing, with a post that is changed, or with one that is copied.
export function ComposePage() {
  const { t } = useWords()
  const { edit, copy, only, at, queue } = useSearch({ from: '/compose' })
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
  const begin = post.data ? { ...ofPost(post.data, thread.data), ...(only ? resent(post.data) : {}) } : at || queue ? { ...blank(at), ...(queue ? { when: 'queue' as const, queueId: queue } : {}) } : undefined
  return <Composer key={`${edit} ${copy} ${only} ${at} ${queue}`} name={edit ?? 'new'} edited={edit ? post.data : undefined} begin={begin} />
}

// unbegun leaves out what is wrong with a post that says nothing yet: it is about to.
const unbegun = (validity: Validity): Validity => ({ ...validity, findings: under(validity.findings, 'platformSettings') })

// resent is what a copy has of its own that is for those alone who refused the post.
const resent = (post: Post) => ({ accounts: resendable(post).map((target) => target.accountId), when: 'now' as const })

function Composer({ name, edited, begin }: { name: string; edited?: Post; begin?: Writing }) {
  const { t } = useWords()
  const { byId, brands } = useAccounts()
  const { writing: kept, setWriting, wasKept, forget } = useKept(name, begin)
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
      name={title} title={title}
      actions={wasKept && !isBlank(writing) && !edited && <button className="btn bare" onClick={() => setWriting(blank())}>{t('compose.restart')}</button>}
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
