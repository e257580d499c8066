import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, ask } from '../api/client'
import { useSessionChanges } from '../api/session'
import { Field, useSubmit } from '../parts/Form'
import { Problem } from '../parts/Page'
import { useWords } from '../words'

// ResetPage is where a mail leads by which somebody chooses another password. It signs them in.
export function ResetPage({ token }: { token: string }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { redeem } = useSessionChanges()
  const [password, setPassword] = useState('')
  useEffect(() => { document.title = `${t('reset.title')} · crier` }, [t])
  const { run, busy, error } = useSubmit(async () => {
    await redeem({ token, password })
    await navigate({ to: '/calendar', replace: true })
  })
  return (
    <main className="entry">
      <form className="card stack" onSubmit={run}>
        <h1>{t('reset.title')}</h1>
        <Field label={t('signin.newPassword')} hint={t('signin.passwordRule')} type="password" autoComplete="new-password" minLength={12} value={password} set={setPassword} />
        {error !== null && <Problem error={error} />}
        <button className="btn main" disabled={busy}>{t('reset.go')}</button>
      </form>
    </main>
  )
}

// ConfirmEmailPage is where a mail leads by which whoever is signed in proves that an address is theirs.
export function ConfirmEmailPage({ token }: { token: string }) {
  const { t } = useWords()
  const navigate = useNavigate()
  useEffect(() => { document.title = `${t('confirmEmail.title')} · crier` }, [t])
  const { run, busy, error } = useSubmit(async () => {
    await ask(api.POST('/me/email/confirm', { body: { token } }))
    await navigate({ to: '/you', replace: true, reloadDocument: true })
  })
  return (
    <main className="entry">
      <form className="card stack" onSubmit={run}>
        <h1>{t('confirmEmail.title')}</h1>
        <p className="muted">{t('confirmEmail.about')}</p>
        {error !== null && <Problem error={error} />}
        <button className="btn main" disabled={busy}>{t('confirmEmail.go')}</button>
      </form>
    </main>
  )
}
