import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { api, ask, Refusal, type Schemas } from '../../api/client'
import { knowsPasskeys, passkeys, showPasskey } from '../../api/signin'
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

function Proof({ close, action }: { close: () => void; action: () => Promise<unknown> }) {
  const { t } = useWords()
  const [password, setPassword] = useState('')
  const mayShow = Boolean(useQuery(passkeys).data?.length) && knowsPasskeys
  const prove = async (body: Schemas['SessionProof']) => {
    await ask(api.POST('/session/proof', { body }))
    await action()
    close()
  }
  const byPassword = useSubmit(() => prove({ password }))
  const byPasskey = useSubmit(async () => {
    const credential = await showPasskey()
    if (credential) await prove({ credential })
  })
  return (
    <Dialog title={t('you.proof')} close={close}>
      <form className="stack" onSubmit={byPassword.run}>
        <p>{t('you.proofAbout')}</p>
        <Field label={t('you.current')} type="password" autoComplete="current-password" data-autofocus value={password} set={setPassword} />
        {mayShow && <div><button type="button" className="btn" disabled={byPasskey.busy} onClick={() => byPasskey.run()}><Icon name="key" /> {t('you.proofPasskey')}</button></div>}
        {byPasskey.error !== null && <Problem error={byPasskey.error} />}
        <Foot submit={byPassword} action={t('you.proofGo')} close={close} />
      </form>
    </Dialog>
  )
}
