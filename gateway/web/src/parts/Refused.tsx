import { useWords, type Word } from '../words'
import en from '../words/en.json'
import { Icon } from './Icon'

// Refused says why somebody who comes back from an issuer is not signed in, or not linked.
export function Refused({ reason }: { reason: string }) {
  const { t } = useWords()
  const word = `refused.${reason}`
  return <div className="note bad" role="alert"><Icon name="alert" /><span className="grow">{t(word in en ? word as Word : 'refused.other')}</span></div>
}
