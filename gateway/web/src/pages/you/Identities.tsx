import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { identities, leaveFor, providers } from '../../api/signin'
import { Confirm } from '../../parts/Confirm'
import { Icon } from '../../parts/Icon'
import { Listing } from '../../parts/Listing'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { useProof } from './Proof'

// Identities are who somebody is at issuers; nothing where there is none and none is offered.
export function Identities() {
  const { t } = useWords()
  const { fail } = useToast()
  const { proving, dialog } = useProof()
  const all = useQuery(identities)
  const offered = useQuery(providers).data?.providers ?? []
  const open = offered.filter((p) => !all.data?.some((i) => i.provider === p.name))
  const link = async (provider: string) => leaveFor((await ask(api.POST('/me/identities', { body: { provider } }))).url)
  if (offered.length === 0 && !all.data?.length) return null
  return (
    <section className="card" aria-label={t('you.identities')}>
      <header><h2>{t('you.identities')}</h2></header>
      <Listing query={all} items={all.data} rows={1} empty={null}>
        {(i) => <Row key={i.id} of={i} title={offered.find((p) => p.name === i.provider)?.title ?? i.issuer} />}
      </Listing>
      {all.data && open.length > 0 && (
        <div className="body stack">
          <p className="muted">{t('you.identitiesAbout')}</p>
          <div className="row wrap">{open.map((p) => <button key={p.name} className="btn" onClick={() => void proving(() => link(p.name)).catch(fail)}><Icon name="link" /> {t('you.link', { name: p.title })}</button>)}</div>
        </div>
      )}
      {dialog}
    </section>
  )
}

function Row({ of, title }: { of: Schemas['Identity']; title: string }) {
  const { t, time } = useWords()
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  return (
    <li>
      <Icon name="link" />
      <div className="grow">
        <p className="strong clip">{title}</p>
        <p className="small muted clip">{[of.email, of.provider ? t('you.linked', { time: time.full(of.createdAt) }) : t('you.noProvider')].filter(Boolean).join(' · ')}</p>
      </div>
      <button className="btn low" onClick={() => setAsking(true)}>{t('you.unlink')}</button>
      {isAsking && (
        <Confirm
          title={t('you.unlinkTitle', { name: title })} action={t('you.unlink')} tone="bad" close={() => setAsking(false)}
          run={async () => {
            await ask(api.DELETE('/me/identities/{id}', { params: { path: { id: of.id } } }))
            await client.invalidateQueries() // what its groups gave is gone
          }}
        ><p>{t('you.unlinkAbout')}</p></Confirm>
      )}
    </li>
  )
}
