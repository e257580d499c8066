import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask, Refusal } from '../api/client'
import { useSessionChanges } from '../api/session'
import { knowsPasskeys, leaveFor, providers } from '../api/signin'
import { Field, NewPassword, useSubmit } from '../parts/Form'
import { Icon } from '../parts/Icon'
import { Problem } from '../parts/Page'
import { Refused } from '../parts/Refused'
import { useWords } from '../words'
import { Entry } from './Entry'

// SignIn is the way in: by address and password, by a passkey, at an issuer, or by a link, whose token makes the
// first user where there is none. refused is why an issuer's answer did not do.
export function SignIn({ token, refused }: { token?: string; refused?: string }) {
  const { t } = useWords()
  return (
    <Entry title={t('signin.title')}>
      {refused && <Refused reason={refused} />}
      {token ? <ByLink token={token} /> : <><ByPassword /><Otherwise /></>}
    </Entry>
  )
}

function ByPassword() {
  const { t } = useWords()
  const { signIn } = useSessionChanges()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const { run, busy, error } = useSubmit(() => signIn(email, password))
  const [isAsked, setAsked] = useState(false)
  const forgotten = useSubmit(async () => {
    setAsked(false)
    await ask(api.POST('/session/reset', { body: { email } }))
    setAsked(true)
  })
  return (
    <form className="stack" onSubmit={run}>
      <h1>{t('signin.title')}</h1>
      <Field label={t('signin.email')} type="email" autoComplete="username" value={email} set={setEmail} />
      <Field label={t('signin.password')} type="password" autoComplete="current-password" value={password} set={setPassword} />
      {error !== null && <Problem error={error} />}
      <button className="btn main" disabled={busy}>{t('signin.go')}</button>
      {forgotten.error !== null && <Problem error={forgotten.error} />}
      {isAsked && <p role="status" className="small">{t('signin.asked')}</p>}
      <button className="btn bare" type="button" disabled={forgotten.busy || email === ''} onClick={() => forgotten.run()}>{t('signin.forgotten')}</button>
      <p className="small muted">{t('signin.help')}</p>
    </form>
  )
}

// Otherwise offers what the server and the browser know beside passwords; nothing while that is not known.
function Otherwise() {
  const { t } = useWords()
  const offered = useQuery(providers).data
  const showsPasskeys = offered?.passkeys && knowsPasskeys
  if (!offered || (!showsPasskeys && offered.providers.length === 0)) return null
  return (
    <div className="stack">
      <p className="or small muted">{t('signin.or')}</p>
      {showsPasskeys && <ByPasskey />}
      {offered.providers.map((p) => <AtIssuer key={p.name} name={p.name} title={p.title} />)}
    </div>
  )
}

function ByPasskey() {
  const { t } = useWords()
  const { signInByPasskey } = useSessionChanges()
  const { run, busy, error } = useSubmit(signInByPasskey)
  return (
    <>
      <button className="btn" disabled={busy} onClick={() => run()}><Icon name="key" /> {t('signin.passkey')}</button>
      {error !== null && <Problem error={error} />}
    </>
  )
}

function AtIssuer({ name, title }: { name: string; title: string }) {
  const { t } = useWords()
  const { run, busy, error } = useSubmit(async () => {
    leaveFor((await ask(api.POST('/session/providers/{provider}', { params: { path: { provider: name } } }))).url)
  })
  return (
    <>
      <button className="btn" disabled={busy} onClick={() => run()}><Icon name="out" /> <span className="clip">{t('signin.by', { name: title })}</span></button>
      {error !== null && <Problem error={error} />}
    </>
  )
}

// ByLink asks for nothing where the link is a user's; the first owner's needs who they are.
function ByLink({ token }: { token: string }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { redeem } = useSessionChanges()
  const [isFirst, setFirst] = useState(false)
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const enter = async (body: Parameters<typeof redeem>[0]) => {
    await redeem(body)
    await navigate({ to: '/calendar', replace: true })
  }
  const { run, busy, error } = useSubmit(async () => {
    if (isFirst) return enter({ token, name, email, password })
    try {
      await enter({ token })
    } catch (e) {
      if (!(e instanceof Refusal && e.status === 400)) throw e
      setFirst(true) // it says which fields it needs
    }
  })
  return (
    <form className="stack" onSubmit={run}>
      <h1>{t(isFirst ? 'signin.first' : 'signin.link')}</h1>
      <p className="muted">{t(isFirst ? 'signin.firstAbout' : 'signin.linkAbout')}</p>
      {isFirst && (
        <>
          <Field label={t('name')} autoComplete="name" value={name} set={setName} />
          <Field label={t('signin.email')} type="email" autoComplete="username" value={email} set={setEmail} />
          <NewPassword value={password} set={setPassword} />
        </>
      )}
      {error !== null && <Problem error={error} />}
      <button className="btn main" disabled={busy}>{t(isFirst ? 'signin.begin' : 'signin.go')}</button>
    </form>
  )
}
