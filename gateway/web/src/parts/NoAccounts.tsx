import { Link } from '@tanstack/react-router'
import { useMay, useSession, useSessionChanges } from '../api/session'
import { useWords } from '../words'
import { Empty } from './Page'
import { useToast } from './toasts'

// NoAccounts stands where posts would be while they could go nowhere: with the two ways to begin.
export function NoAccounts() {
  const { t } = useWords()
  const { test } = useSession()
  const { turn } = useSessionChanges()
  const { fail } = useToast()
  const mayConnect = useMay('admin')
  return (
    <div className="card">
      <Empty
        icon="people" title={t('noAccounts.title')}
        action={(
          <div className="row wrap">
            {mayConnect && <Link className="btn main" to="/accounts">{t('accounts.connect')}</Link>}
            {!test && <button className="btn" onClick={() => void turn({ test: true }).catch(fail)}>{t('mode.toTest')}</button>}
          </div>
        )}
      >
        {t(test ? 'noAccounts.about' : 'noAccounts.aboutLive')}
      </Empty>
    </div>
  )
}
