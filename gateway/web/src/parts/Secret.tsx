import { useState } from 'react'
import { useWords } from '../words'
import { Dialog } from './Confirm'
import { Icon } from './Icon'

// Secret shows what is shown only once.
export function Secret({ title, about, secret, close }: { title: string; about: string; secret: string; close: () => void }) {
  const { t } = useWords()
  const [isCopied, setCopied] = useState(false)
  const copy = () => void navigator.clipboard?.writeText(secret).then(() => setCopied(true))
  return (
    <Dialog title={title} close={close}>
      <div className="stack">
        <p>{about}</p>
        <div className="row secret">
          <code className="grow">{secret}</code>
          {navigator.clipboard && <button className="btn low" onClick={copy}><Icon name={isCopied ? 'check' : 'copy'} size={14} /> {t(isCopied ? 'copied' : 'copy')}</button>}
        </div>
        <div className="row end"><button className="btn main" onClick={close}>{t('close')}</button></div>
      </div>
    </Dialog>
  )
}
