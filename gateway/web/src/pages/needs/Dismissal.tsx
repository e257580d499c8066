import { useDismissed } from '../../api/dismissed'
import { dismissalOf, type Need } from '../../api/queries'
import { Icon } from '../../parts/Icon'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'

// Dismissal puts aside what its owner leaves as it is, and brings it back.
export function Dismissal({ need, name }: { need: Need; name: string }) {
  const { t } = useWords()
  const { ids, dismiss, restore } = useDismissed()
  const { show } = useToast()
  const id = dismissalOf(need)
  if (id === undefined) return null
  if (ids.has(id)) return <button className="btn low" onClick={() => restore(id)}>{t('needs.restore')}</button>
  const putAside = () => {
    dismiss(id)
    show({ tone: 'good', text: t('needs.dismissed', { name }), action: { label: t('undo'), run: () => restore(id) } })
  }
  return <button className="btn bare low icon" aria-label={t('needs.dismiss', { name })} title={t('needs.dismissHint')} onClick={putAside}><Icon name="x" size={14} /></button>
}
