import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client'
import { roles, useMay, type Role } from '../../api/session'
import { Dialog } from '../../parts/Confirm'
import { Field, Foot, OneOf, useSubmit } from '../../parts/Form'
import { Secret } from '../../parts/Secret'
import { useWords } from '../../words'
import { invitationLink } from './people'

// Inviting makes an invitation, and shows its link once.
export function Inviting({ close }: { close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const mayOwn = useMay('owner')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const [link, setLink] = useState<string>()
  const submit = useSubmit(async () => {
    const { invitation } = await ask(api.POST('/invitations', { body: { email, role } }))
    await client.invalidateQueries({ queryKey: ['invitations'] })
    if (invitation.token) setLink(invitationLink(invitation.token))
  })
  if (link) return <Secret title={t('people.invited', { email })} about={t('people.invitedAbout')} secret={link} close={close} />
  return (
    <Dialog title={t('people.invite')} close={close}>
      <form className="stack" onSubmit={submit.run}>
        <Field label={t('signin.email')} type="email" maxLength={254} data-autofocus value={email} set={setEmail} />
        <OneOf label={t('people.role')} of={roles.filter((r) => mayOwn || r !== 'owner')} value={role} set={setRole} name={(r) => t(`role.${r}`)} about={(r) => t(`role.${r}About`)} />
        <Foot submit={submit} action={t('people.makeInvitation')} close={close} />
      </form>
    </Dialog>
  )
}
