import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask } from '../api/client'
import { useSessionChanges } from '../api/session'
import { NewPassword, useSubmit } from '../parts/Form'
import { Problem } from '../parts/Page'
import { useWords } from '../words'
import { Entry } from './Entry'

// ResetPage is where a mail leads by which somebody chooses another password. It signs them in.
export function ResetPage({ token }: { token: string }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { redeem } = useSessionChanges()
  const [password, setPassword] = useState('')
  const { run, busy, error } = useSubmit(async () => {
    await redeem({ token, password })
    await navigate({ to: '/calendar', replace: true })
  })
  return (
    <Entry title={t('reset.title')}>
      <form className="stack" onSubmit={run}>
        <h1>{t('reset.title')}</h1>
        <NewPassword value={password} set={setPassword} />
        {error !== null && <Problem error={error} />}
        <button className="btn main" disabled={busy}>{t('reset.go')}</button>
      </form>
    </Entry>
  )
}

// ConfirmEmailPage is where a mail leads by which whoever is signed in proves that an address is theirs.
export function ConfirmEmailPage({ token }: { token: string }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { run, busy, error } = useSubmit(async () => {
    await ask(api.POST('/me/email/confirm', { body: { token } }))
    await navigate({ to: '/you', replace: true, reloadDocument: true })
  })
  return (
    <Entry title={t('confirmEmail.title')}>
      <form className="stack" onSubmit={run}>
        <h1>{t('confirmEmail.title')}</h1>
        <p className="muted">{t('confirmEmail.about')}</p>
        {error !== null && <Problem error={error} />}
        <button className="btn main" disabled={busy}>{t('confirmEmail.go')}</button>
      </form>
    </Entry>
  )
}
