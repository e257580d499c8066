import { Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api, ask, type Key } from '../../api/client'
import { keys } from '../../api/queries'
import { useMay, useSession } from '../../api/session'
import { Confirm, Dialog } from '../../parts/Confirm'
import { Field, useSubmit } from '../../parts/Form'
import { Icon } from '../../parts/Icon'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { Secret } from '../../parts/Secret'
import { useWords } from '../../words'

const permissions = ['read', 'write', 'admin'] as const

export function KeysPage() {
  const { t } = useWords()
  const mayManage = useMay('admin')
  const all = useQuery({ ...keys, enabled: mayManage })
  const [isMaking, setMaking] = useState(false)
  const [secret, setSecret] = useState<string>()
  const make = mayManage && <button className="btn main" onClick={() => setMaking(true)}><Icon name="plus" /> {t('keys.new')}</button>
  const active = all.data?.filter((k) => k.isActive) ?? []
  const ended = all.data?.filter((k) => !k.isActive) ?? []
  return (
    <Page name={t('nav.keys')} title={t('nav.keys')} about={t('keys.about')} actions={make}>
      <div className="card">
        {!mayManage && <Empty icon="key" title={t('keys.notYours')}>{t('keys.notYoursAbout')}</Empty>}
        {mayManage && all.isPending && <Waiting rows={2} />}
        {all.error && <div className="body"><Problem error={all.error} retry={() => void all.refetch()} /></div>}
        {all.data && active.length === 0 && <Empty icon="key" title={t('keys.none')} action={make}>{t('keys.noneAbout')}</Empty>}
        {active.length > 0 && <ul className="list">{active.map((k) => <Row key={k.id} of={k} show={setSecret} />)}</ul>}
      </div>
      {ended.length > 0 && (
        <section className="card" aria-label={t('keys.ended')}>
          <header><h2>{t('keys.ended')}</h2></header>
          <ul className="list">{ended.map((k) => <Row key={k.id} of={k} show={setSecret} />)}</ul>
        </section>
      )}
      {isMaking && <Making close={() => setMaking(false)} show={setSecret} />}
      {secret && <Secret title={t('keys.made')} about={t('keys.secretAbout')} secret={secret} close={() => setSecret(undefined)} />}
    </Page>
  )
}

function Row({ of, show }: { of: Key; show: (secret: string) => void }) {
  const { t, time } = useWords()
  const client = useQueryClient()
  const [open, setOpen] = useState<'rotate' | 'revoke' | null>(null)
  const path = { id: of.id }
  const read = () => client.invalidateQueries({ queryKey: ['keys'] })
  return (
    <li>
      <Icon name="key" />
      <div className="grow">
        <p className="row"><span className="strong clip">{of.name}</span>{of.test && <span className="pill warn">{t('mode.test')}</span>}{of.suspendedUntil && <span className="pill bad">{t('keys.suspended', { time: time.clock(of.suspendedUntil) })}</span>}</p>
        <p className="small muted clip"><code>{of.prefix}</code> · {of.permissions.map((p) => t(`keys.${p}`)).join(', ')} · {of.lastUsedAt ? t('keys.used', { time: time.full(of.lastUsedAt) }) : t('keys.neverUsed')}{of.expiresAt && ` · ${t('keys.until', { time: time.full(of.expiresAt) })}`}</p>
      </div>
      {of.isActive && (
        <Menu position="bottom-end" shadow="none" transitionProps={{ duration: 80 }}>
          <Menu.Target><button className="btn bare low icon" aria-label={t('keys.more', { name: of.name })}><Icon name="more" /></button></Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<Icon name="retry" />} onClick={() => setOpen('rotate')}>{t('keys.rotate')}</Menu.Item>
            <Menu.Item color="var(--bad)" leftSection={<Icon name="x" />} onClick={() => setOpen('revoke')}>{t('keys.revoke')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {open === 'rotate' && (
        <Confirm
          title={t('keys.rotateTitle', { name: of.name })} action={t('keys.rotate')} close={() => setOpen(null)}
          run={async () => {
            const { key } = await ask(api.POST('/keys/{id}/rotate', { params: { path }, body: {} }))
            await read()
            if (key.secret) show(key.secret)
          }}
        ><p>{t('keys.rotateAbout')}</p></Confirm>
      )}
      {open === 'revoke' && (
        <Confirm
          title={t('keys.revokeTitle', { name: of.name })} action={t('keys.revoke')} tone="bad" close={() => setOpen(null)}
          run={async () => {
            await ask(api.DELETE('/keys/{id}', { params: { path } }))
            await read()
          }}
        ><p>{t('keys.revokeAbout')}</p></Confirm>
      )}
    </li>
  )
}

function Making({ close, show }: { close: () => void; show: (secret: string) => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const { test } = useSession()
  const id = useId()
  const [name, setName] = useState('')
  const [most, setMost] = useState(1)
  const { run, busy, error } = useSubmit(async () => {
    const { key } = await ask(api.POST('/keys', { body: { name, permissions: permissions.slice(0, most + 1), test } }))
    await client.invalidateQueries({ queryKey: ['keys'] })
    close()
    if (key.secret) show(key.secret)
  })
  return (
    <Dialog title={t(test ? 'keys.newTest' : 'keys.new')} close={close}>
      <form className="stack" onSubmit={run}>
        <Field label={t('keys.name')} maxLength={200} placeholder={t('keys.nameHint')} value={name} set={setName} />
        <fieldset className="checks" style={{ gridTemplateColumns: '1fr' }}>
          <legend className="label">{t('keys.may')}</legend>
          {permissions.map((p, i) => (
            <label className="row" key={p}><input type="radio" name={id} checked={most === i} onChange={() => setMost(i)} /> <span><span className="strong">{t(`keys.${p}`)}</span> <span className="muted">{t(`keys.${p}About`)}</span></span></label>
          ))}
        </fieldset>
        {error !== null && <Problem error={error} />}
        <div className="row" style={{ justifyContent: 'flex-end' }}>
          <button className="btn" type="button" onClick={close}>{t('no')}</button>
          <button className="btn main" disabled={busy}>{t('keys.make')}</button>
        </div>
      </form>
    </Dialog>
  )
}
