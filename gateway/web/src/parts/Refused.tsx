import { known, useWords } from '../words'
import { Icon } from './Icon'

// Refused says why somebody who comes back from an issuer is not signed in, or not linked.
export function Refused({ reason }: { reason: string }) {
  const { t } = useWords()
  return <div className="note bad" role="alert"><Icon name="alert" /><span className="grow">{t(known(`refused.${reason}`) ?? 'refused.other')}</span></div>
}
