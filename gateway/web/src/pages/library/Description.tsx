import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api, ask } from '../../api/client'
import { useSubmit } from '../../parts/Form'
import { Problem } from '../../parts/Page'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import type { Media } from './media'

// Description says what an upload shows, for those who do not see it.
export function Description({ media }: { media: Media }) {
  const { t } = useWords()
  const id = useId()
  const client = useQueryClient()
  const { show } = useToast()
  const [altText, setText] = useState(media.altText ?? '')
  const { run, busy, error } = useSubmit(async () => {
    await ask(api.PATCH('/media/{id}', { params: { path: { id: media.id } }, body: { altText } }))
    await Promise.all([['library'], ['media', media.id]].map((queryKey) => client.invalidateQueries({ queryKey })))
    show({ tone: 'good', text: t('library.described') })
  })
  return (
    <form className="field" onSubmit={run}>
      <label htmlFor={id}>{t('library.alt')}</label>
      <textarea className="input" id={id} rows={2} maxLength={1000} value={altText} placeholder={t('media.alt')} onChange={(e) => setText(e.target.value)} aria-describedby={id + 'h'} />
      <div className="row">
        <span className="hint grow" id={id + 'h'}>{t('library.altHint')}</span>
        <button className="btn low" disabled={busy || altText === (media.altText ?? '')}>{t('save')}</button>
      </div>
      {error !== null && <Problem error={error} />}
    </form>
  )
}
