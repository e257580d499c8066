import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask, sentence, type Webhook } from '../../api/client'
import { Confirm } from '../../parts/Confirm'
import { RowMenu } from '../../parts/RowMenu'
import { Secret } from '../../parts/Secret'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { Writing } from './Writing'

// isTaken tells whether a receiver's answer says that it has taken what it got.
const isTaken = (code = 0) => code >= 200 && code < 300

// Actions are what can be done with a webhook.
export function Actions({ webhook }: { webhook: Webhook }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { show, fail } = useToast()
  const [open, setOpen] = useState<'change' | 'rotate' | 'delete'>()
  const [secret, setSecret] = useState<string>()
  const path = { id: webhook.id }
  const close = () => setOpen(undefined)
  const turn = async () => {
    await ask(api.PATCH('/webhooks/{id}', { params: { path }, body: { isActive: !webhook.isActive } }))
    await client.invalidateQueries({ queryKey: ['webhooks'] })
  }
  const test = async () => {
    const event = webhook.events[0]
    if (!event) return
    const { test: told } = await ask(api.POST('/webhooks/{id}/test', { params: { path }, body: { event } }))
    if (told.error) show({ tone: 'bad', text: sentence(told.error) })
    else show({ tone: isTaken(told.responseCode) ? 'good' : 'bad', text: t('webhooks.testedOf', { event, code: told.responseCode ?? 0, ms: told.responseTime ?? 0 }) })
  }
  return (
    <>
      <button className="btn" onClick={() => void test().catch(fail)}>{t('webhooks.test')}</button>
      <button className="btn" onClick={() => void turn().catch(fail)}>{t(webhook.isActive ? 'webhooks.disable' : 'webhooks.enable')}</button>
      <RowMenu
        of={[
          { icon: 'edit', label: t('webhooks.change'), run: () => setOpen('change') },
          { icon: 'retry', label: t('webhooks.rotate'), run: () => setOpen('rotate') },
          { icon: 'trash', label: t('delete'), run: () => setOpen('delete'), isGrave: true },
        ]}
      />
      {open === 'change' && <Writing webhook={webhook} close={close} />}
      {open === 'rotate' && <Rotating id={webhook.id} close={close} show={setSecret} />}
      {open === 'delete' && <Deleting id={webhook.id} close={close} />}
      {secret && <Secret title={t('webhooks.secret')} about={t('webhooks.secretAbout')} secret={secret} close={() => setSecret(undefined)} />}
    </>
  )
}

function Rotating({ id, close, show }: { id: string; close: () => void; show: (secret: string) => void }) {
  const { t } = useWords()
  return (
    <Confirm
      title={t('webhooks.rotateTitle')} action={t('webhooks.rotate')} close={close}
      run={async () => {
        const { webhook } = await ask(api.POST('/webhooks/{id}/rotate-secret', { params: { path: { id } } }))
        if (webhook.secret) show(webhook.secret)
      }}
    ><p>{t('webhooks.rotateAbout')}</p></Confirm>
  )
}

function Deleting({ id, close }: { id: string; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  return (
    <Confirm
      title={t('webhooks.deleteTitle')} action={t('delete')} tone="bad" close={close}
      run={async () => {
        await ask(api.DELETE('/webhooks/{id}', { params: { path: { id } } }))
        await client.invalidateQueries({ queryKey: ['webhooks'] })
        void navigate({ to: '/webhooks' })
      }}
    ><p>{t('webhooks.deleteAbout')}</p></Confirm>
  )
}
