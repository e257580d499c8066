import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas, type Webhook } from '../../api/client'
import { Dialog } from '../../parts/Confirm'
import { Field, Foot, useSubmit } from '../../parts/Form'
import { Secret } from '../../parts/Secret'
import { useWords } from '../../words'

type EventName = Schemas['EventName']

// offered are what webhooks can be told of: each event that the API has.
const offered: Record<EventName, true> = {
  'post.scheduled': true, 'post.published': true, 'post.failed': true, 'post.cancelled': true, 'post.updated': true,
  'thread.scheduled': true, 'thread.published': true, 'thread.partially_published': true, 'thread.failed': true,
  'account.connected': true, 'account.disconnected': true, 'account.error': true, 'account.token_expiring': true,
  'webhook.disabled': true, 'feed.matched': true, 'comment.received': true, 'mention.received': true,
}
const events = Object.keys(offered) as EventName[]

// Writing makes a webhook, and shows its secret once, or changes one.
export function Writing({ webhook, close }: { webhook?: Webhook; close: () => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [chosen, setChosen] = useState<EventName[]>(webhook?.events ?? ['post.published', 'post.failed', 'account.error'])
  const [secret, setSecret] = useState<string>()
  const toggle = (event: EventName) => setChosen(chosen.includes(event) ? chosen.filter((e) => e !== event) : [...chosen, event])
  const submit = useSubmit(async () => {
    const body = { url, events: chosen }
    const { webhook: saved } = webhook
      ? await ask(api.PATCH('/webhooks/{id}', { params: { path: { id: webhook.id } }, body }))
      : await ask(api.POST('/webhooks', { body }))
    await client.invalidateQueries({ queryKey: ['webhooks'] })
    if (saved.secret) setSecret(saved.secret)
    else close()
  })
  if (secret) return <Secret title={t('webhooks.made')} about={t('webhooks.secretAbout')} secret={secret} close={close} />
  return (
    <Dialog title={t(webhook ? 'webhooks.change' : 'webhooks.new')} close={close}>
      <form className="stack" onSubmit={submit.run}>
        <Field label={t('webhooks.url')} type="url" data-autofocus placeholder="https://" value={url} set={setUrl} />
        <fieldset className="checks">
          <legend className="label">{t('webhooks.which')}</legend>
          {events.map((e) => <label className="row" key={e}><input type="checkbox" checked={chosen.includes(e)} onChange={() => toggle(e)} /> <code>{e}</code></label>)}
        </fieldset>
        <Foot submit={submit} action={t(webhook ? 'save' : 'webhooks.make')} close={close} disabled={chosen.length === 0} />
      </form>
    </Dialog>
  )
}
