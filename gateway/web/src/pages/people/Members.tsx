import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { roles, useMay, useSession, type Role } from '../../api/session'
import { Confirm } from '../../parts/Confirm'
import { Icon } from '../../parts/Icon'
import { Initial } from '../../parts/Initial'
import { Listing } from '../../parts/Listing'
import { Empty } from '../../parts/Page'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { members } from './people'

type Member = Schemas['Member']

export function Members() {
  const { t } = useWords()
  const all = useQuery(members)
  return (
    <section className="card" aria-label={t('people.members')}>
      <header><h2>{t('people.members')}</h2>{all.data && <span className="muted numbers">{all.data.length}</span>}</header>
      <Listing query={all} items={all.data} empty={<Empty icon="people" title={t('people.none')} />}>
        {(m) => <Row key={m.userId} member={m} />}
      </Listing>
    </section>
  )
}

function Row({ member }: { member: Member }) {
  const { t, time } = useWords()
  const { user } = useSession()
  const [isLeaving, setLeaving] = useState(false)
  const mayOwn = useMay('owner')
  const mayChange = mayOwn || member.role !== 'owner'
  return (
    <li>
      <Initial name={member.name} />
      <div className="grow">
        <p className="row"><span className="strong clip">{member.name}</span>{member.userId === user.id && <span className="pill">{t('people.you')}</span>}</p>
        <p className="small muted clip">{member.email} · {member.lastSeenAt ? t('people.seen', { time: time.full(member.lastSeenAt) }) : t('people.notSeen')}</p>
      </div>
      {mayChange ? (
        <div className="row">
          <RoleOf member={member} />
          <button className="btn bare low icon" aria-label={t('people.remove', { name: member.name })} onClick={() => setLeaving(true)}><Icon name="trash" /></button>
        </div>
      ) : <span className="pill">{t(`role.${member.role}`)}</span>}
      {isLeaving && <Removing member={member} close={() => setLeaving(false)} />}
    </li>
  )
}

function RoleOf({ member }: { member: Member }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { show, fail } = useToast()
  const mayOwn = useMay('owner')
  const change = async (role: Role) => {
    try {
      await ask(api.PATCH('/members/{id}', { params: { path: { id: member.userId } }, body: { role } }))
      show({ tone: 'good', text: t('people.changed', { name: member.name, role: t(`role.${role}`) }) })
    } catch (error) {
      fail(error)
    }
    await Promise.all(['members', 'invitations', 'session'].map((key) => client.invalidateQueries({ queryKey: [key] })))
  }
  return (
    <select className="input role" aria-label={t('people.roleOf', { name: member.name })} value={member.role} onChange={(e) => void change(e.target.value as Role)}>
      {roles.filter((role) => mayOwn || role !== 'owner').map((role) => <option key={role} value={role}>{t(`role.${role}`)}</option>)}
    </select>
  )
}

// Removing asks what becomes of the keys that a member has made: programs may use them.
function Removing({ member, close }: { member: Member; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  const [endsKeys, setEndsKeys] = useState(false)
  return (
    <Confirm
      title={t('people.removeTitle', { name: member.name })} action={t('people.removeIt')} tone="bad" close={close}
      run={async () => {
        await ask(api.DELETE('/members/{id}', { params: { path: { id: member.userId }, query: { keys: endsKeys ? 'end' : 'keep' } } }))
        await client.invalidateQueries({ queryKey: ['members'] })
        show({ tone: 'good', text: t('people.removed', { name: member.name }) })
      }}
    >
      <p>{t('people.removeAbout')}</p>
      <label className="row"><input type="checkbox" checked={endsKeys} onChange={(e) => setEndsKeys(e.target.checked)} /> {t('people.endKeys')}</label>
    </Confirm>
  )
}
