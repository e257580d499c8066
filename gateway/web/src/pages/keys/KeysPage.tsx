import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Key } from '../../api/client'
import { keys } from '../../api/queries'
import { useMay } from '../../api/session'
import { Confirm } from '../../parts/Confirm'
import { Icon } from '../../parts/Icon'
import { Listing } from '../../parts/Listing'
import { Empty, Page } from '../../parts/Page'
import { RowMenu } from '../../parts/RowMenu'
import { Secret } from '../../parts/Secret'
import { useWords } from '../../words'
import { Making } from './Making'
import { Rotating } from './Rotating'
import { useUnsuspend } from './unsuspend'

export function KeysPage() {
  const { t } = useWords()
  const mayManage = useMay('admin')
  const all = useQuery({ ...keys, enabled: mayManage })
  const [isMaking, setMaking] = useState(false)
  const [secret, setSecret] = useState<string>()
  const make = mayManage && <button className="btn main" onClick={() => setMaking(true)}><Icon name="plus" /> {t('keys.new')}</button>
  const active = all.data?.filter((k) => k.isActive)
  const ended = all.data?.filter((k) => !k.isActive) ?? []
  return (
    <Page name={t('nav.keys')} title={t('nav.keys')} about={t('keys.about')} actions={make}>
      <div className="card">
        {mayManage ? (
          <Listing query={all} items={active} rows={2} empty={<Empty icon="key" title={t('keys.none')} action={make}>{t('keys.noneAbout')}</Empty>}>
            {(k) => <Row key={k.id} of={k} show={setSecret} />}
          </Listing>
        ) : <Empty icon="key" title={t('keys.notYours')}>{t('keys.notYoursAbout')}</Empty>}
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
  const unsuspend = useUnsuspend()
  const [open, setOpen] = useState<'rotate' | 'revoke' | null>(null)
  return (
    <li>
      <Icon name="key" />
      <div className="grow">
        <p className="row wrap"><span className="strong clip">{of.name}</span>{of.test && <span className="pill warn">{t('mode.test')}</span>}{of.suspendedUntil && <span className="pill bad">{t('keys.suspended', { time: time.clock(of.suspendedUntil) })}</span>}</p>
        <p className="small muted breaks"><code>{of.prefix}</code> · {of.permissions.map((p) => t(`keys.${p}`)).join(', ')} · {of.lastUsedAt ? t('keys.used', { time: time.full(of.lastUsedAt) }) : t('keys.neverUsed')}</p>
        {(of.expiresAt || of.networks) && (
          <p className="small muted breaks">{[of.expiresAt && t('keys.until', { time: time.full(of.expiresAt) }), of.networks && t('keys.from', { networks: of.networks.join(', ') })].filter(Boolean).join(' · ')}</p>
        )}
      </div>
      {of.isActive && (
        <RowMenu
          name={of.name}
          of={[
            ...(of.suspendedUntil ? [{ icon: 'check' as const, label: t('keys.unsuspend'), run: () => void unsuspend(of) }] : []),
            { icon: 'retry', label: t('keys.rotate'), run: () => setOpen('rotate') },
            { icon: 'x', label: t('keys.revoke'), run: () => setOpen('revoke'), isGrave: true },
          ]}
        />
      )}
      {open === 'rotate' && <Rotating of={of} close={() => setOpen(null)} show={show} />}
      {open === 'revoke' && (
        <Confirm
          title={t('keys.revokeTitle', { name: of.name })} action={t('keys.revoke')} tone="bad" close={() => setOpen(null)}
          run={async () => {
            await ask(api.DELETE('/keys/{id}', { params: { path: { id: of.id } } }))
            await client.invalidateQueries({ queryKey: ['keys'] })
          }}
        ><p>{t('keys.revokeAbout')}</p></Confirm>
      )}
    </li>
  )
}
