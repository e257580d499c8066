import './accounts.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { api, ask, type Account, type Schemas } from '../../api/client'
import { ways } from '../../api/queries'
import { useSession } from '../../api/session'
import { Dialog } from '../../parts/Confirm'
import { Field, useSubmit } from '../../parts/Form'
import { Problem, Waiting } from '../../parts/Page'
import { Mark, platforms } from '../../parts/platforms'
import { useToast } from '../../parts/toasts'
import { useWords, type Word } from '../../words'
import { useConsent } from './connect'

type Way = Schemas['ConnectWay']

// Connecting connects an account: first its platform, then what that asks for.
export function Connecting({ accounts, close }: { accounts: Account[]; close: () => void }) {
  const { t } = useWords()
  const { show } = useToast()
  const client = useQueryClient()
  const { test } = useSession()
  const all = useQuery(ways)
  const [way, setWay] = useState<Way | null>(null)
  const [error, setError] = useState<unknown>(null)
  const connected = useCallback(() => {
    void client.invalidateQueries({ queryKey: ['accounts'] })
    show({ tone: 'good', text: t('connect.done') })
    close()
  }, [client, show, t, close])
  const consent = useConsent(accounts, connected)
  const choose = (chosen: Way) => {
    setError(null)
    const asksFirst = chosen.method !== 'oauth' || (chosen.platform === 'mastodon' && !test)
    if (asksFirst) setWay(chosen)
    else void consent.open(chosen.platform).catch(setError)
  }
  const fields = way && fieldsOf(way)
  return (
    <Dialog title={t(way ? 'connect.titleOf' : 'connect.title', { platform: way ? platforms[way.platform].name : '' })} close={close} size={520}>
      <div className="stack">
        {all.isPending && <Waiting />}
        {all.error && <Problem error={all.error} />}
        {!way && (
          <ul className="ways">
            {all.data && connectable(all.data).map((w) => (
              <li key={w.platform}>
                <button disabled={!w.configured} title={w.message} onClick={() => choose(w)}>
                  <Mark platform={w.platform} size="big" />
                  <span className="grow"><span className="strong">{platforms[w.platform].name}</span>{!w.configured && <span className="small muted"><br />{t('connect.notSetUp')}</span>}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {!way && all.data?.some((w) => !w.configured) && <p className="small muted">{t('connect.setUp')} <a href="/docs#beginConnect" target="_blank" rel="noreferrer">{t('connect.setUpRead')}</a></p>}
        {way && fields && <Form way={way} fields={fields} consent={consent.open} done={connected} back={() => setWay(null)} />}
        {consent.isWaiting && <p className="note">{t('connect.waiting')}</p>}
        {error !== null && <Problem error={error} />}
      </div>
    </Dialog>
  )
}

// connectable has those first that can be connected.
const connectable = (all: Way[]) => [...all].sort((a, b) => Number(b.configured) - Number(a.configured))

type FieldOf = { name: string; label: Word; hint: Word; secret?: boolean }

function fieldsOf(way: Way): FieldOf[] {
  switch (way.method) {
    case 'app_password': return [
      { name: 'identifier', label: 'connect.handle', hint: 'connect.handleHint' },
      { name: 'password', label: 'connect.appPassword', hint: 'connect.appPasswordHint', secret: true },
    ]
    case 'bot_token': return [
      { name: 'botToken', label: 'connect.botToken', hint: 'connect.botTokenHint', secret: true },
      { name: 'chatId', label: 'connect.channel', hint: 'connect.channelHint' },
    ]
    case 'oauth': return [{ name: 'server', label: 'connect.server', hint: 'connect.serverHint' }]
  }
}

type FormProps = { way: Way; fields: FieldOf[]; consent: ReturnType<typeof useConsent>['open']; done: () => void; back: () => void }

function Form({ way, fields, consent, done, back }: FormProps) {
  const { t } = useWords()
  const [values, setValues] = useState<Record<string, string>>({})
  const of = (name: string) => values[name]?.trim() ?? ''
  const { run, busy, error } = useSubmit(async () => {
    if (way.method === 'oauth') {
      const server = of('server')
      return consent(way.platform, server.includes('://') ? server : `https://${server}`)
    }
    if (way.method === 'app_password') await ask(api.POST('/connect/bluesky', { body: { identifier: of('identifier'), password: of('password') } }))
    else await ask(api.POST('/connect/telegram/channels', { body: { botToken: of('botToken'), chatId: of('chatId') } }))
    done()
  })
  return (
    <form className="stack" onSubmit={run}>
      {fields.map((f) => (
        <Field
          key={f.name} label={t(f.label)} hint={t(f.hint)} type={f.secret ? 'password' : 'text'} autoComplete="off"
          value={values[f.name] ?? ''} set={(value) => setValues({ ...values, [f.name]: value })}
        />
      ))}
      {error !== null && <Problem error={error} />}
      <div className="row end">
        <button className="btn" type="button" onClick={back}>{t('back')}</button>
        <button className="btn main" disabled={busy}>{t('accounts.connect')}</button>
      </div>
    </form>
  )
}
