import { useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../../api/client'
import { Icon } from '../../parts/Icon'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

// Invitations are those that nobody has accepted yet.
export function Invitations({ open }: { open: Schemas['Invitation'][] }) {
  const { t, time } = useWords()
  const client = useQueryClient()
  const { show, fail } = useToast()
  const withdraw = async (id: string, email: string) => {
    await ask(api.DELETE('/invitations/{id}', { params: { path: { id } } }))
    await client.invalidateQueries({ queryKey: ['invitations'] })
    show({ tone: 'good', text: t('people.withdrawn', { email }) })
  }
  return (
    <section className="card" aria-label={t('people.invitations')}>
      <header><h2>{t('people.invitations')}</h2><span className="muted numbers">{open.length}</span></header>
      <ul className="list">
        {open.map((i) => (
          <li key={i.id}>
            <Icon name="clock" />
            <div className="grow">
              <p className="strong clip">{i.email}</p>
              <p className="small muted clip">{t(`role.${i.role}`)} · {t('people.until', { time: time.full(i.expiresAt) })}</p>
            </div>
            <button className="btn low" onClick={() => void withdraw(i.id, i.email).catch(fail)}>{t('people.withdraw')}</button>
          </li>
        ))}
      </ul>
    </section>
  )
}
