import { useState, type ReactNode } from 'react'
import { api, ask, Refusal, type Schemas } from '../../api/client'
import { useSession, useSessionChanges } from '../../api/session'
import { knowsPasskeys, showPasskey } from '../../api/signin'
import { Dialog } from '../../parts/Confirm'
import { Field, Foot, useSubmit } from '../../parts/Form'
import { Icon } from '../../parts/Icon'
import { Problem } from '../../parts/Page'
import { useWords } from '../../words'

const needsProof = (error: unknown) => error instanceof Refusal && error.details.some((d) => d.code === 'proof_required')

// useProof asks who somebody is where the server wants to know before it does something, and does it then.
export function useProof(): { proving: (action: () => Promise<unknown>) => Promise<void>; dialog: ReactNode } {
  const [waiting, setWaiting] = useState<{ action: () => Promise<unknown> } | null>(null)
  const proving = async (action: () => Promise<unknown>) => {
    try {
      await action()
    } catch (error) {
      if (!needsProof(error)) throw error
      setWaiting({ action })
    }
  }
  return { proving, dialog: waiting && <Proof close={() => setWaiting(null)} action={waiting.action} /> }
}

type ProofProps = { close: () => void; action: () => Promise<unknown> }

function Proof({ close, action }: ProofProps) {
  const { t } = useWords()
  const { proofs } = useSession()
  const mayShow = proofs.includes('passkey') && knowsPasskeys
  const prove = async (body: Schemas['SessionProof']) => {
    await ask(api.POST('/session/proof', { body }))
    await action()
    close()
  }
  const byPasskey = useSubmit(async () => {
    const credential = await showPasskey()
    if (credential) await prove({ credential })
  })
  return (
    <Dialog title={t('you.proof')} close={close}>
      <div className="stack">
        <p>{t('you.proofAbout')}</p>
        {mayShow && <div><button className="btn" disabled={byPasskey.busy} onClick={() => byPasskey.run()}><Icon name="key" /> {t('you.proofPasskey')}</button></div>}
        {byPasskey.error !== null && <Problem error={byPasskey.error} />}
        {proofs.includes('password') && <ByPassword close={close} prove={prove} />}
        {!mayShow && !proofs.includes('password') && <Anew close={close} />}
      </div>
    </Dialog>
  )
}

function ByPassword({ close, prove }: { close: () => void; prove: (body: Schemas['SessionProof']) => Promise<void> }) {
  const { t } = useWords()
  const [password, setPassword] = useState('')
  const submit = useSubmit(() => prove({ password }))
  return (
    <form className="stack" onSubmit={submit.run}>
      <Field label={t('you.current')} type="password" autoComplete="current-password" data-autofocus value={password} set={setPassword} />
      <Foot submit={submit} action={t('you.proofGo')} close={close} />
    </form>
  )
}

// Anew is the way of those who have nothing to show.
function Anew({ close }: { close: () => void }) {
  const { t } = useWords()
  const { signOut } = useSessionChanges()
  const submit = useSubmit(signOut)
  return (
    <form className="stack" onSubmit={submit.run}>
      <p>{t('you.proofAnew')}</p>
      <Foot submit={submit} action={t('signout')} close={close} />
    </form>
  )
}
