import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Account } from '../../api/client'
import { Confirm, Dialog } from '../../parts/Confirm'
import { Field, Foot, useSubmit } from '../../parts/Form'
import { Naming } from '../../parts/Naming'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

export function Renaming({ account, close }: { account: Account; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  return (
    <Naming
      title={t('accounts.renameTitle', { name: account.name })} action={t('save')} hint={t('accounts.renameHint')} before={account.name} close={close}
      save={async (name) => {
        await ask(api.PATCH('/accounts/{id}', { params: { path: { id: account.id } }, body: { name } }))
        await client.invalidateQueries({ queryKey: ['accounts'] })
      }}
    />
  )
}

// Pausing holds what goes out on an account, and asks why.
export function Pausing({ account, close }: { account: Account; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  const [reason, setReason] = useState('')
  const submit = useSubmit(async () => {
    await ask(api.POST('/accounts/{id}/pause', { params: { path: { id: account.id } }, body: { reason } }))
    await reread(client)
    show({ tone: 'good', text: t('accounts.pausedNow', { name: account.name }) })
    close()
  })
  return (
    <Dialog title={t('accounts.pauseTitle', { name: account.name })} close={close}>
      <form className="stack" onSubmit={submit.run}>
        <p>{t('accounts.pauseAbout')}</p>
        <Field label={t('accounts.pauseReason')} hint={t('accounts.pauseReasonHint')} required={false} maxLength={200} data-autofocus value={reason} set={setReason} />
        <Foot submit={submit} action={t('accounts.pause')} close={close} />
      </form>
    </Dialog>
  )
}

// useResume lets an account go on that a member has paused.
export function useResume() {
  const { t } = useWords()
  const client = useQueryClient()
  const { show, fail } = useToast()
  return (account: Account) => {
    const resume = async () => {
      await ask(api.POST('/accounts/{id}/resume', { params: { path: { id: account.id } } }))
      await reread(client)
      show({ tone: 'good', text: t('accounts.resumed', { name: account.name }) })
    }
    void resume().catch(fail)
  }
}

// reread reads again what shows whether an account is paused: itself, and posts to it.
const reread = (client: QueryClient) => Promise.all(['accounts', 'posts', 'post'].map((key) => client.invalidateQueries({ queryKey: [key] })))

export function Disconnect({ account, close }: { account: Account; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  return (
    <Confirm
      title={t('accounts.disconnectTitle', { name: account.name })} action={t('accounts.disconnect')} tone="bad" close={close}
      run={async () => {
        await ask(api.DELETE('/accounts/{id}', { params: { path: { id: account.id } } }))
        await client.invalidateQueries({ queryKey: ['accounts'] })
        show({ tone: 'good', text: t('accounts.disconnected', { name: account.name }) })
      }}
    >
      <p>{t('accounts.disconnectAbout')}{account.paused?.by === 'member' && ` ${t('accounts.disconnectPaused')}`}</p>
    </Confirm>
  )
}
