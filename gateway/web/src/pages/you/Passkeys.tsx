import { Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { knowsPasskeys, makePasskey, passkeys, providers } from '../../api/signin'
import { Confirm, Dialog } from '../../parts/Confirm'
import { Field, useSubmit } from '../../parts/Form'
import { Icon } from '../../parts/Icon'
import { Listing } from '../../parts/Listing'
import { Problem } from '../../parts/Page'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { browserOf } from './browser'

type Passkey = Schemas['Passkey']

// Passkeys are those of whoever is signed in; nothing where there are none and can be none.
export function Passkeys() {
  const { t } = useWords()
  const all = useQuery(passkeys)
  const mayAdd = useQuery(providers).data?.passkeys && knowsPasskeys
  const [isAdding, setAdding] = useState(false)
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
      {isAdding && <Naming title={t('you.passkeyAdd')} before={browserOf(navigator.userAgent)} close={() => setAdding(false)} done={t('you.passkeyAdded')} save={async (name) => {
        const credential = await makePasskey(t('you.passkeyKnown'))
        if (!credential) return false
        await ask(api.POST('/me/passkeys', { body: { name, credential } }))
        return true
      }} />}
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
      <Menu position="bottom-end" shadow="none" transitionProps={{ duration: 80 }}>
        <Menu.Target><button className="btn bare low icon" aria-label={t('you.passkeyMore', { name: of.name })}><Icon name="more" /></button></Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="edit" />} onClick={() => setOpen('rename')}>{t('you.passkeyRename')}</Menu.Item>
          <Menu.Item color="var(--bad)" leftSection={<Icon name="trash" />} onClick={() => setOpen('remove')}>{t('you.passkeyRemove')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open === 'rename' && <Naming title={t('you.passkeyRename')} before={of.name} close={() => setOpen(null)} save={async (name) => {
        await ask(api.PATCH('/me/passkeys/{id}', { params, body: { name } }))
        return true
      }} />}
      {open === 'remove' && (
        <Confirm
          title={t('you.passkeyRemoveTitle', { name: of.name })} action={t('you.passkeyRemove')} tone="bad" close={() => setOpen(null)}
          run={async () => {
            await ask(api.DELETE('/me/passkeys/{id}', { params }))
            await client.invalidateQueries({ queryKey: passkeys.queryKey })
          }}
        ><p>{t('you.passkeyRemoveAbout')}</p></Confirm>
      )}
    </li>
  )
}

type NamingProps = { title: string; before: string; close: () => void; done?: string; save: (name: string) => Promise<boolean> }

// Naming asks for the name of a passkey; save says whether anything came of it.
function Naming({ title, before, close, done, save }: NamingProps) {
  const { t } = useWords()
  const client = useQueryClient()
  const { show } = useToast()
  const [name, setName] = useState(before)
  const { run, busy, error } = useSubmit(async () => {
    if (!await save(name)) return
    await client.invalidateQueries({ queryKey: passkeys.queryKey })
    close()
    if (done) show({ tone: 'good', text: done })
  })
  return (
    <Dialog title={title} close={close}>
      <form className="stack" onSubmit={run}>
        <Field label={t('you.passkeyName')} hint={t('you.passkeyNameHint')} maxLength={200} value={name} set={setName} />
        {error !== null && <Problem error={error} />}
        <div className="row" style={{ justifyContent: 'flex-end' }}>
          <button className="btn" type="button" onClick={close}>{t('no')}</button>
          <button className="btn main" disabled={busy}>{title}</button>
        </div>
      </form>
    </Dialog>
  )
}
