import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Account } from '../../api/client'
import { Confirm, Dialog } from '../../parts/Confirm'
import { Field, Foot, useSubmit } from '../../parts/Form'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

export function Renaming({ account, close }: { account: Account; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const [name, setName] = useState(account.name)
  const submit = useSubmit(async () => {
    await ask(api.PATCH('/accounts/{id}', { params: { path: { id: account.id } }, body: { name } }))
    await client.invalidateQueries({ queryKey: ['accounts'] })
    close()
  })
  return (
    <Dialog title={t('accounts.renameTitle', { name: account.name })} close={close}>
      <form className="stack" onSubmit={submit.run}>
        <Field label={t('keys.name')} hint={t('accounts.renameHint')} maxLength={200} data-autofocus value={name} set={setName} />
        <Foot submit={submit} action={t('compose.save')} close={close} />
      </form>
    </Dialog>
  )
}

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
      <p>{t('accounts.disconnectAbout')}</p>
    </Confirm>
  )
}
