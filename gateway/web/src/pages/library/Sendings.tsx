import { Icon } from '../../parts/Icon'
import { useWords } from '../../words'
import type { Sending } from '../compose/upload'

// Sendings are files on their way, with how far each has come.
export function Sendings({ of, drop }: { of: Sending[]; drop: (id: number) => void }) {
  const { t } = useWords()
  if (of.length === 0) return null
  return (
    <ul className="card list">
      {of.map((s) => (
        <li key={s.id}>
          <Icon name={s.error ? 'alert' : 'image'} />
          <div className="grow stack tight">
            <span className="clip">{s.name}</span>
            {s.error ? <span className="small problem">{s.error}</span> : <progress value={s.part} max={1} aria-label={t('media.sending', { name: s.name })} />}
          </div>
          {s.error ? <button className="btn bare low icon" aria-label={t('media.remove')} onClick={() => drop(s.id)}><Icon name="x" size={14} /></button> : <span className="small muted numbers">{Math.round(s.part * 100)} %</span>}
        </li>
      ))}
    </ul>
  )
}
