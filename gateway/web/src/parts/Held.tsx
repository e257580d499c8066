import type { Target } from '../api/client'
import { useWords } from '../words'

// Held says who keeps something from going out, and of a pause the reason that was given.
export function Held({ of }: { of: NonNullable<Target['held']> }) {
  const { t } = useWords()
  return <>{t(of.by === 'member' ? 'held.by_member' : `held.${of.reason}`)}{of.by && of.message && `: ${of.message}`}</>
}
