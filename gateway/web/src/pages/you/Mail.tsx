import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { useSession } from '../../api/session'
import { Problem, Waiting } from '../../parts/Page'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

const choices = {
  queryKey: ['mail'],
  queryFn: async () => (await ask(api.GET('/me/mail'))).mail,
}

const kinds = ['postsFailed', 'accountsToReconnect', 'keysSuspended'] as const

// Mail chooses what somebody is told about the workspace; nothing where their role is told nothing.
export function Mail() {
  const { t } = useWords()
  const { user, workspace } = useSession()
  const all = useQuery({ ...choices, enabled: workspace !== null })
  const mine = kinds.filter((kind) => all.data?.[kind] != null)
  if (!workspace || (all.data && mine.length === 0)) return null
  return (
    <section className="card" aria-label={t('mail.title')}>
      <header><h2>{t('mail.title')}</h2></header>
      <div className="body stack">
        <p className="muted">{t(user.isEmailConfirmed ? 'mail.about' : 'mail.unproven', { name: workspace.name, email: user.email })}</p>
        {all.error && <Problem error={all.error} retry={() => void all.refetch()} />}
        {all.isPending && <Waiting rows={2} />}
        <div className="checks one">{mine.map((kind) => <Choice key={kind} kind={kind} isOn={Boolean(all.data?.[kind])} />)}</div>
      </div>
    </section>
  )
}

function Choice({ kind, isOn }: { kind: (typeof kinds)[number]; isOn: boolean }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { fail } = useToast()
  const [chosen, choose] = useState(isOn) // shown at once, before the server has it
  const set = async (next: boolean) => {
    choose(next)
    try {
      await ask(api.PATCH('/me/mail', { body: { [kind]: next } }))
      client.setQueryData<Schemas['MailChoicesResponse']['mail']>(choices.queryKey, (before) => before && { ...before, [kind]: next })
    } catch (error) {
      choose(!next)
      fail(error)
    }
  }
  return (
    <label className="row">
      <input type="checkbox" checked={chosen} onChange={(e) => void set(e.target.checked)} /> {t(`mail.${kind}`)}
    </label>
  )
}
