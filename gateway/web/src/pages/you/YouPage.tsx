import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { addressOf, useSession } from '../../api/session'
import { Field, NewPassword, useSubmit } from '../../parts/Form'
import { Icon } from '../../parts/Icon'
import { Listing } from '../../parts/Listing'
import { Page, Problem } from '../../parts/Page'
import { useToast } from '../../parts/toasts'
import { Refused } from '../../parts/Refused'
import { useWords } from '../../words'
import { Address } from './Address'
import { browserOf } from './browser'
import { Identities } from './Identities'
import { Mail } from './Mail'
import { Passkeys } from './Passkeys'
import { useProof } from './Proof'

const sessions = {
  queryKey: ['sessions'],
  queryFn: async () => (await ask(api.GET('/sessions'))).sessions,
}

// YouPage is about whoever is signed in: where, and by what.
export function YouPage() {
  const { t } = useWords()
  const { user } = useSession()
  const all = useQuery(sessions)
  const { refused } = useSearch({ from: '/you' })
  return (
    <Page name={t('nav.you')} title={user.name} about={user.email}>
      {refused && <Refused reason={refused} />}
      <section className="card" aria-label={t('you.sessions')}>
        <header><h2>{t('you.sessions')}</h2></header>
        <Listing query={all} items={all.data} rows={2} empty={null}>{(s) => <Row key={s.id} session={s} />}</Listing>
      </section>
      <Passkeys />
      <Identities />
      <Mail />
      <Address />
      <section className="card" aria-label={t('you.password')}>
        <header><h2>{t('you.password')}</h2></header>
        <div className="body"><Password /></div>
      </section>
    </Page>
  )
}

function Row({ session }: { session: Schemas['SessionItem'] }) {
  const { t, time } = useWords()
  const client = useQueryClient()
  const { fail } = useToast()
  const end = async () => {
    await ask(api.DELETE('/sessions/{id}', { params: { path: { id: session.id } } }))
    await client.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <li>
      <Icon name="user" />
      <div className="grow">
        <p className="row"><span className="strong clip">{browserOf(session.agent)}</span>{session.isCurrent && <span className="pill good">{t('you.this')}</span>}</p>
        <p className="small muted clip">{addressOf(session.address)}{session.method && ` · ${t(waysIn[session.method], { name: session.provider ?? '' })}`} · {t('you.used', { time: time.full(session.lastUsedAt) })}</p>
      </div>
      {!session.isCurrent && <button className="btn low" onClick={() => void end().catch(fail)}>{t('you.end')}</button>}
    </li>
  )
}

// waysIn are those that have a word of their own.
const waysIn = { password: 'you.by.password', link: 'you.by.link', invitation: 'you.by.invitation', passkey: 'you.by.passkey', provider: 'you.by.provider' } as const

function Password() {
  const { t } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  const hasPassword = useSession().proofs.includes('password')
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const { proving, dialog } = useProof()
  const { run, busy, error } = useSubmit(() => proving(async () => {
    await ask(api.PATCH('/me/password', { body: { newPassword, ...(currentPassword ? { currentPassword } : {}) } }))
    setCurrent('')
    setNew('')
    await client.invalidateQueries({ queryKey: ['session'] })
    await client.invalidateQueries({ queryKey: ['sessions'] })
    show({ tone: 'good', text: t('you.changed') })
  }))
  return (
    <>
    <form className="stack" style={{ maxWidth: 360 }} onSubmit={run}>
      {hasPassword && <Field label={t('you.current')} type="password" autoComplete="current-password" value={currentPassword} set={setCurrent} />}
      <NewPassword value={newPassword} set={setNew} />
      {error !== null && <Problem error={error} />}
      <div><button className="btn" disabled={busy}>{t(hasPassword ? 'you.change' : 'you.choose')}</button></div>
    </form>
    {dialog}
    </>
  )
}
