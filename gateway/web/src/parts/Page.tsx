import { useEffect, type ReactNode } from 'react'
import { useNeeds } from '../api/queries'
import { Refusal, words } from '../api/client'
import { useWords } from '../words'
import { Icon, type IconName } from './Icon'

type PageProps = { title: ReactNode; name: string; about?: ReactNode; actions?: ReactNode; wide?: boolean; children: ReactNode }

// Page is a view with its heading. name is what the browser's title says of it, after the number of things
// that wait for a person.
export function Page({ title, name, about, actions, wide, children }: PageProps) {
  const { needs } = useNeeds()
  const count = needs.length
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${name} · crier`
  }, [count, name])
  return (
    <main className={`page ${wide ? 'wide' : ''}`} id="main">
      <div className="top">
        <div className="grow">
          <h1>{title}</h1>
          {about && <p>{about}</p>}
        </div>
        {actions && <div className="row wrap">{actions}</div>}
      </div>
      {children}
    </main>
  )
}

type EmptyProps = { icon: IconName; title: string; children?: ReactNode; action?: ReactNode; heading?: 'h1' | 'h2' }

export function Empty({ icon, title, children, action, heading: Heading = 'h2' }: EmptyProps) {
  return (
    <div className="empty">
      <Icon name={icon} size={28} />
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}

// Problem says why something could not be read or done.
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useWords()
  return (
    <div className="note bad" role="alert">
      <Icon name="alert" />
      <span className="grow" lang={error instanceof Refusal ? 'en' : undefined}>{words(error, t('unreachable'))}</span>
      {retry && <button className="btn low" onClick={retry}>{t('again')}</button>}
    </div>
  )
}

// Waiting stands where something will be, in its shape.
export function Waiting({ rows = 4 }: { rows?: number }) {
  const { t } = useWords()
  return (
    <div className="stack" role="status" aria-label={t('loading')} style={{ padding: 'var(--s4)' }}>
      {Array.from({ length: rows }, (_, i) => <div className="skeleton" key={i} style={{ width: `${90 - i * 13}%` }} />)}
    </div>
  )
}
