import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api, ask } from '../../api/client'
import { roles, useMay, type Role } from '../../api/session'
import { Dialog } from '../../parts/Confirm'
import { Field, Foot, useSubmit } from '../../parts/Form'
import { Secret } from '../../parts/Secret'
import { useWords } from '../../words'
import { invitationLink } from './people'

// Inviting makes an invitation, and shows its link once.
export function Inviting({ close }: { close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const mayOwn = useMay('owner')
  const id = useId()
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
        <Field label={t('signin.email')} type="email" maxLength={254} value={email} set={setEmail} />
        <fieldset className="checks one">
          <legend className="label">{t('people.role')}</legend>
          {roles.filter((r) => mayOwn || r !== 'owner').map((r) => (
            <label className="row" key={r}><input type="radio" name={id} checked={role === r} onChange={() => setRole(r)} /> <span><span className="strong">{t(`role.${r}`)}</span> <span className="muted">{t(`role.${r}About`)}</span></span></label>
          ))}
        </fieldset>
        <Foot submit={submit} action={t('people.makeInvitation')} close={close} />
      </form>
    </Dialog>
  )
}
