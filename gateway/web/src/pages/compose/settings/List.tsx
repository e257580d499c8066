import { Icon } from '../../../parts/Icon'
import { useWords } from '../../../words'
import { useApiWords } from '../../../words/api'
import { Found } from '../Found'
import { emptyOf, type Described, type Group, type Value } from './described'
import { Line } from './inputs'
import { Members, type SettingProps } from './Setting'

// List is a setting of several values.
export function List({ name, it, value, field, set }: SettingProps) {
  const { t } = useWords()
  const label = useApiWords().settingOf(name)
  const all = Array.isArray(value) ? value : []
  const items = it.items ?? {}
  const change = (next: Value[]) => set(next.length > 0 ? next : undefined)
  const isFull = all.length >= (it.maxItems ?? Infinity)
  return (
    <div className="field setting" role="group" aria-label={label}>
      <span className="label">{label}</span>
      {it.description && <span className="hint" lang="en">{it.description}</span>}
      {all.map((one, i) => (
        <div className="row" key={i}>
          <ListItem label={`${label} ${i + 1}`} it={items} value={one} path={`${field.path}[${i}]`} set={(next) => change(all.map((v, at) => (at === i ? next ?? '' : v)))} />
          <button className="btn bare low icon" aria-label={t('settings.remove', { name: `${label} ${i + 1}` })} onClick={() => change(all.filter((_, at) => at !== i))}><Icon name="x" size={14} /></button>
        </div>
      ))}
      <Found of={field.findings} />
      {!isFull && <button className="btn low" onClick={() => change([...all, emptyOf(items)])}><Icon name="plus" size={14} /> {t('settings.add')}</button>}
    </div>
  )
}

type ListItemProps = { label: string; it: Described; value: Value; path: string; set: (value: Value) => void }

function ListItem({ label, it, value, path, set }: ListItemProps) {
  if (!it.properties) return <Line it={it} value={value} about={{ 'aria-label': label }} set={set} />
  return <div className="grow"><Members of={it.properties} required={it.required ?? []} value={value as Group} path={path} findings={[]} set={set} /></div>
}
