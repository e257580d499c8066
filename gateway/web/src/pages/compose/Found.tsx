import { Icon } from '../../parts/Icon'
import { Mark } from '../../parts/platforms'
import type { Finding } from './validity'

// Found says what the API finds wrong, or worth a warning, in its words.
export function Found({ of, id }: { of: Finding[]; id?: string }) {
  if (of.length === 0) return null
  return (
    <ul className="findings" id={id} aria-live="polite">
      {of.map((f, i) => (
        <li key={i} className={`note ${f.tone}`}>
          <Icon name="alert" size={14} />
          {f.platform && <Mark platform={f.platform} size="low" />}
          <span className="small grow">{f.message}</span>
        </li>
      ))}
    </ul>
  )
}

// described ties an input to what is found about it.
export const described = (findings: Finding[], id: string) =>
  findings.length > 0 ? { 'aria-describedby': id, 'aria-invalid': findings.some((f) => f.tone === 'bad') } : {}
