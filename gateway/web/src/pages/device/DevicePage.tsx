import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask } from '../../api/client'
import { addressOf } from '../../api/session'
import { Field, useSubmit } from '../../parts/Form'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { useWords } from '../../words'

// DevicePage gives a device its key, or refuses it, by the code that the device shows.
export function DevicePage() {
  const { t } = useWords()
  const { code } = useSearch({ from: '/device' })
  return (
    <Page name={t('device.name')} title={t('device.title')} about={t('device.about')}>
      <div className="card">{code ? <Device key={code} code={code} /> : <Code />}</div>
    </Page>
  )
}

function Code() {
  const { t } = useWords()
  const navigate = useNavigate()
  const [code, setCode] = useState('')
  const { run } = useSubmit(() => navigate({ to: '/device', search: { code: code.trim() } }))
  return (
    <form className="body stack" style={{ maxWidth: 360 }} onSubmit={run}>
      <Field label={t('device.code')} hint={t('device.codeHint')} autoComplete="off" value={code} set={setCode} />
      <div><button className="btn main">{t('device.go')}</button></div>
    </form>
  )
}

function Device({ code }: { code: string }) {
  const { t, time } = useWords()
  const [decision, setDecision] = useState<'approved' | 'denied'>()
  const params = { path: { userCode: code } }
  const asked = useQuery({
    queryKey: ['device', code],
    queryFn: async () => (await ask(api.GET('/device/{userCode}', { params }))).device,
    staleTime: Infinity, // looks are counted
    gcTime: 0,
  })
  const approve = useSubmit(async () => {
    await ask(api.POST('/device/{userCode}/approve', { params }))
    setDecision('approved')
  })
  const deny = useSubmit(async () => {
    await ask(api.POST('/device/{userCode}/deny', { params }))
    setDecision('denied')
  })
  if (decision) return <Empty icon={decision === 'approved' ? 'check' : 'x'} title={t(`device.${decision}`)}>{t(`device.${decision}About`)}</Empty>
  if (asked.isPending) return <Waiting rows={3} />
  if (asked.error) return <><div className="body"><Problem error={asked.error} /></div><Code /></>
  const { name, address, permissions, workspace, createdAt } = asked.data
  const error = approve.error ?? deny.error
  const busy = approve.busy || deny.busy
  return (
    <div className="body stack">
      <p><span className="strong">{name}</span> <span className="muted">{t('device.from', { address: addressOf(address), time: time.clock(createdAt) })}</span></p>
      <p>{t('device.compare')} <code className="strong">{code.toUpperCase()}</code></p>
      <p>
        {t('device.gets', { workspace: workspace.name })} {workspace.test && <span className="pill warn">{t('mode.test')}</span>}{' '}
        <span className="strong">{permissions.map((p) => t(`keys.${p}`)).join(', ')}</span>
      </p>
      {error !== null && <Problem error={error} />}
      <div className="row">
        <button className="btn main" disabled={busy} onClick={() => approve.run()}>{t('device.approve')}</button>
        <button className="btn bad" disabled={busy} onClick={() => deny.run()}>{t('device.deny')}</button>
      </div>
    </div>
  )
}
