import { useWords } from '../words'
import { Icon } from './Icon'
import type { Sending, Uploads } from './uploads'

// SendingRow is a file on its way, with how far it has come.
export function SendingRow({ of, uploads }: { of: Sending; uploads: Pick<Uploads, 'retry' | 'cancel'> }) {
  const { t } = useWords()
  return (
    <li>
      <span className="thumb"><Icon name="image" /></span>
      <div className="grow stack tight">
        <span className="row"><span className="clip small grow">{of.name}</span>{!of.error && <span className="small muted numbers">{Math.floor(of.part * 100)} %</span>}</span>
        {of.error ? <span className="small problem" role="alert">{of.error}</span> : <progress value={of.part} max={1} aria-label={t('media.sending', { name: of.name })} />}
      </div>
      {of.error && <button className="btn low" onClick={() => uploads.retry(of.id)}><Icon name="retry" size={14} /> {t('again')}</button>}
      <button className="btn bare low icon" aria-label={t('media.stop', { name: of.name })} onClick={() => uploads.cancel(of.id)}><Icon name="x" size={14} /></button>
    </li>
  )
}
