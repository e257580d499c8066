import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { knowsPasskeys, makePasskey, passkeys, providers } from '../../api/signin'
import { Confirm } from '../../parts/Confirm'
import { Icon } from '../../parts/Icon'
import { Listing } from '../../parts/Listing'
import { Naming } from '../../parts/Naming'
import { RowMenu } from '../../parts/RowMenu'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { browserOf } from './browser'
import { useProof } from './Proof'

type Passkey = Schemas['Passkey']

// reread reads what there are now, and that the session can be proven by them.
const reread = (client: QueryClient) => Promise.all([passkeys.queryKey, ['session']].map((queryKey) => client.invalidateQueries({ queryKey })))

// Passkeys are those of whoever is signed in; nothing where there are none and can be none.
export function Passkeys() {
  const { t } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  const all = useQuery(passkeys)
  const mayAdd = useQuery(providers).data?.passkeys && knowsPasskeys
  const [isAdding, setAdding] = useState(false)
  const { proving, dialog } = useProof()
  if (!mayAdd && !all.data?.length) return null
  return (
    <section className="card" aria-label={t('you.passkeys')}>
      <header>
        <h2>{t('you.passkeys')}</h2>
        {mayAdd && <button className="btn low" onClick={() => setAdding(true)}><Icon name="plus" /> {t('you.passkeyAdd')}</button>}
      </header>
      <Listing query={all} items={all.data} rows={1} empty={<div className="body muted">{t('you.passkeysAbout')} {t('you.passkeysNone')}</div>}>
        {(p) => <Row key={p.id} of={p} />}
      </Listing>
      {isAdding && (
        <Naming
          title={t('you.passkeyAdd')} action={t('you.passkeyAdd')} hint={t('you.passkeyNameHint')} before={browserOf(navigator.userAgent)} close={() => setAdding(false)}
          save={async (name) => {
            let isAdded = false
            await proving(async () => {
              const credential = await makePasskey(t('you.passkeyKnown'))
              if (!credential) return
              await ask(api.POST('/me/passkeys', { body: { name, credential } }))
              await reread(client)
              show({ tone: 'good', text: t('you.passkeyAdded') })
              isAdded = true
              setAdding(false)
            })
            if (!isAdded) return false
          }}
        />
      )}
      {dialog}
    </section>
  )
}

function Row({ of }: { of: Passkey }) {
  const { t, time } = useWords()
  const client = useQueryClient()
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null)
  const params = { path: { id: of.id } }
  return (
    <li>
      <Icon name="key" />
      <div className="grow">
        <p className="row"><span className="strong clip">{of.name}</span>{of.isSynced && <span className="pill">{t('you.passkeySynced')}</span>}</p>
        <p className="small muted clip">{of.lastUsedAt ? t('you.used', { time: time.full(of.lastUsedAt) }) : t('you.passkeyUnused')}</p>
      </div>
      <RowMenu
        name={of.name}
        of={[
          { icon: 'edit', label: t('you.passkeyRename'), run: () => setOpen('rename') },
          { icon: 'trash', label: t('you.passkeyRemove'), run: () => setOpen('remove'), isGrave: true },
        ]}
      />
      {open === 'rename' && (
        <Naming
          title={t('you.passkeyRename')} action={t('you.passkeyRename')} hint={t('you.passkeyNameHint')} before={of.name} close={() => setOpen(null)}
          save={async (name) => {
            await ask(api.PATCH('/me/passkeys/{id}', { params, body: { name } }))
            await client.invalidateQueries({ queryKey: passkeys.queryKey })
          }}
        />
      )}
      {open === 'remove' && (
        <Confirm
          title={t('you.passkeyRemoveTitle', { name: of.name })} action={t('you.passkeyRemove')} tone="bad" close={() => setOpen(null)}
          run={async () => {
            await ask(api.DELETE('/me/passkeys/{id}', { params }))
            await reread(client)
          }}
        ><p>{t('you.passkeyRemoveAbout')}</p></Confirm>
      )}
    </li>
  )
}
