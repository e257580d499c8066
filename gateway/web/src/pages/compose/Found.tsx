import { sentence } from '../../api/client'
import { Icon } from '../../parts/Icon'
import { Mark, platforms } from '../../parts/platforms'
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
          <span className="small grow" lang="en">{sentenceOf(f)}</span>
        </li>
      ))}
    </ul>
  )
}

// sentenceOf says it with the platform's name as people have it, and without the fields of the API whose choice stands
// beside it.
function sentenceOf({ platform, message }: Finding): string {
  const brief = message.replace(/; with "fit": [^;]*/, '')
  return platform && brief.startsWith(platform + ' ') ? platforms[platform].name + brief.slice(platform.length) : sentence(brief)
}

// described ties an input to what is found about it.
export const described = (findings: Finding[], id: string) =>
  findings.length > 0 ? { 'aria-describedby': id, 'aria-invalid': findings.some((f) => f.tone === 'bad') } : {}
