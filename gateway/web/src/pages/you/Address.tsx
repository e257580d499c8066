import { useState } from 'react'
import { api, ask } from '../../api/client'
import { useSession } from '../../api/session'
import { Field, useSubmit } from '../../parts/Form'
import { Problem } from '../../parts/Page'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { useProof } from './Proof'

// Address changes by which address somebody signs in, or proves the one that they have, by a link that is sent there.
export function Address() {
  const { t } = useWords()
  const { user, proofs } = useSession()
  const { show } = useToast()
  const { proving, dialog } = useProof()
  const [email, setEmail] = useState(user.email)
  const [currentPassword, setCurrent] = useState('')
  const isSame = email === user.email
  const { run, busy, error } = useSubmit(() => proving(async () => {
    await ask(api.POST('/me/email', { body: { email, ...(currentPassword ? { currentPassword } : {}) } }))
    setCurrent('')
    show({ tone: 'good', text: t('address.sent', { email }) })
  }))
  return (
    <section className="card" aria-label={t('address.title')}>
      <header><h2>{t('address.title')}</h2>{!user.isEmailConfirmed && <span className="pill warn">{t('address.unproven')}</span>}</header>
      <form className="body stack" onSubmit={run}>
        <Field label={t('signin.email')} hint={t('address.hint')} type="email" autoComplete="email" value={email} set={setEmail} style={{ maxWidth: 360 }} />
        {proofs.includes('password') && <Field label={t('you.current')} type="password" autoComplete="current-password" value={currentPassword} set={setCurrent} style={{ maxWidth: 360 }} />}
        {error !== null && <Problem error={error} />}
        <div><button className="btn" disabled={busy || (isSame && user.isEmailConfirmed)}>{t(isSame && !user.isEmailConfirmed ? 'address.prove' : 'address.change')}</button></div>
      </form>
      {dialog}
    </section>
  )
}
