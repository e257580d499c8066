import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Refusal } from '../../api/client'
import { useSessionChanges, useSessionQuery } from '../../api/session'
import { Field, NewPassword, useSubmit } from '../../parts/Form'
import { Problem } from '../../parts/Page'
import { useToast } from '../../parts/toasts'
import { Entry } from '../../shell/Entry'
import { useWords } from '../../words'

// AcceptPage is where the link of an invitation leads: whoever is signed in joins by a click, anybody else says
// who they are.
export default function AcceptPage({ token }: { token: string }) {
  const { t } = useWords()
  const session = useSessionQuery()
  return (
    <Entry title={t('accept.title')}>
      <h1>{t('accept.title')}</h1>
      {session.data ? <AsMember token={token} email={session.data.user.email} /> : <AsNew token={token} />}
    </Entry>
  )
}

// useAccepting joins the workspace that a token is of, and goes to its calendar.
function useAccepting(token: string) {
  const navigate = useNavigate()
  const { join } = useSessionChanges()
  return async (who: { name?: string; password?: string }) => {
    await join({ token, ...who })
    await navigate({ to: '/calendar', replace: true })
  }
}

function AsMember({ token, email }: { token: string; email: string }) {
  const { t } = useWords()
  const { signOut } = useSessionChanges()
  const { fail } = useToast()
  const accept = useAccepting(token)
  const { run, busy, error } = useSubmit(() => accept({}))
  return (
    <form className="stack" onSubmit={run}>
      <p className="muted">{t('accept.asMember', { email })}</p>
      {error !== null && <Problem error={error} />}
      <button className="btn main" disabled={busy}>{t('accept.join')}</button>
      <button className="btn bare" type="button" onClick={() => void signOut().catch(fail)}>{t('accept.notMe')}</button>
    </form>
  )
}

function AsNew({ token }: { token: string }) {
  const { t } = useWords()
  const accept = useAccepting(token)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const { run, busy, error } = useSubmit(() => accept({ name, password }))
  const isRefused = error instanceof Refusal && error.status === 401
  return (
    <form className="stack" onSubmit={run}>
      <p className="muted">{t('accept.about')}</p>
      <Field label={t('name')} autoComplete="name" maxLength={200} value={name} set={setName} />
      <NewPassword value={password} set={setPassword} />
      {error !== null && <Problem error={error} />}
      <button className="btn main" disabled={busy}>{t('accept.join')}</button>
      {isRefused && <a href="/" target="_blank" rel="noreferrer">{t('accept.signIn')}</a>}
    </form>
  )
}
