import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client'
import { useSession } from '../../api/session'
import { Dialog } from '../../parts/Confirm'
import { dateOf } from '../../parts/dates'
import { Field, Foot, OneOf, useSubmit } from '../../parts/Form'
import { useWords } from '../../words'

// permissions in the order of what they let do: who has one has those before it.
const permissions = ['read', 'write', 'admin'] as const
type Permission = (typeof permissions)[number]

// Making makes a key, which may be bound to networks and to a time; show shows its secret.
export function Making({ close, show }: { close: () => void; show: (secret: string) => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { test } = useSession()
  const [name, setName] = useState('')
  const [most, setMost] = useState<Permission>('write')
  const [networks, setNetworks] = useState('')
  const [lastDay, setLastDay] = useState('')
  const submit = useSubmit(async () => {
    const body = {
      name, test, permissions: permissions.slice(0, permissions.indexOf(most) + 1), networks: networks.split(/[\s,]+/).filter(Boolean),
      ...(lastDay ? { expiresAt: new Date(`${lastDay}T23:59:59`).toISOString() } : {}),
    }
    const { key } = await ask(api.POST('/keys', { body }))
    await client.invalidateQueries({ queryKey: ['keys'] })
    close()
    if (key.secret) show(key.secret)
  })
  return (
    <Dialog title={t(test ? 'keys.newTest' : 'keys.new')} close={close}>
      <form className="stack" onSubmit={submit.run}>
        <Field label={t('name')} maxLength={200} data-autofocus placeholder={t('keys.nameHint')} value={name} set={setName} />
        <OneOf label={t('keys.may')} of={permissions} value={most} set={setMost} name={(p) => t(`keys.${p}`)} about={(p) => t(`keys.${p}About`)} />
        <Field label={t('keys.networks')} hint={t('keys.networksHint')} required={false} placeholder="203.0.113.0/24" value={networks} set={setNetworks} />
        <Field label={t('keys.lastDay')} hint={t('keys.lastDayHint')} required={false} type="date" min={dateOf(new Date())} value={lastDay} set={setLastDay} />
        <Foot submit={submit} action={t('keys.make')} close={close} />
      </form>
    </Dialog>
  )
}
