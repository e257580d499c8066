import { useQueryClient } from '@tanstack/react-query'
import { api, ask, type Account } from '../../api/client'
import { Confirm } from '../../parts/Confirm'
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
