import { useId } from 'react'
import { useWords } from '../../../words'
import { useApiWords } from '../../../words/api'
import { described, Found } from '../Found'
import { under, type Finding } from '../validity'
import { Choice, Line, Switch, Whether } from './inputs'
import { emptyOf, type Described, type Group, type Value } from './described'
import { List } from './List'

type MembersProps = { of: Record<string, Described>; required: string[]; value: Group; path: string; findings: Finding[]; set: (group: Group) => void }

// Members are the settings of a group.
export function Members({ of, required, value, path, findings, set }: MembersProps) {
  return (
    <div className="setting-group">
      {Object.entries(of).map(([name, it]) => (
        <Setting
          key={name} name={name} it={it} isRequired={required.includes(name)} value={value[name]}
          field={{ path: `${path}.${name}`, findings: under(findings, `${path}.${name}`) }} set={(next) => set({ ...value, [name]: next })}
        />
      ))}
    </div>
  )
}

export type SettingProps = {
  name: string
  it: Described
  isRequired?: boolean
  value: Value
  field: { path: string; findings: Finding[] } // where the API names it, and what it finds there
  set: (value: Value) => void
}

// Setting is one setting in the input that its description asks for.
export function Setting(props: SettingProps) {
  if (props.it.oneOf) return <Either {...props} />
  if (props.it.properties) return <Part {...props} />
  if (props.it.items) return <List {...props} />
  return <Single {...props} />
}

// Single is a setting of one value, with what is said of it.
function Single({ name, it, isRequired, value, field, set }: SettingProps) {
  const { t } = useWords()
  const id = useId()
  const { settingOf: nameOf } = useApiWords()
  const isMissing = isRequired || field.findings.some((f) => f.code === 'setting_required')
  const about = { id, 'aria-describedby': `${id}h`, ...(field.findings.length > 0 ? described(field.findings, `${id}f`) : {}) }
  const isSwitch = it.type === 'boolean' && it.default !== undefined
  return (
    <div className={isSwitch ? 'field setting switched' : 'field setting'}>
      <label htmlFor={id}>{nameOf(name)}{isMissing && <span className="needed"> · {t('settings.needed')}</span>}</label>
      <Input it={it} value={value} about={about} set={set} />
      {it.description && <span className="hint" lang="en" id={`${id}h`}>{it.description}</span>}
      <Found of={field.findings} id={`${id}f`} />
    </div>
  )
}

export type InputProps = { it: Described; value: Value; about: { id?: string; 'aria-label'?: string }; set: (value: Value) => void }

function Input(props: InputProps) {
  if (props.it.enum) return <Choice {...props} />
  if (props.it.type === 'boolean') return props.it.default === undefined ? <Whether {...props} /> : <Switch {...props} />
  return <Line {...props} />
}

// Part is a group that is given as a whole or left out.
function Part({ name, it, value, field, set }: SettingProps) {
  const { settingOf: nameOf } = useApiWords()
  const id = useId()
  const isGiven = value !== undefined
  return (
    <fieldset className="setting part" aria-describedby={`${id}h`}>
      <legend>
        <label className="row">
          <input type="checkbox" checked={isGiven} onChange={() => set(isGiven ? undefined : begun(it))} /> {nameOf(name)}
        </label>
      </legend>
      {it.description && <span className="hint" lang="en" id={`${id}h`}>{it.description}</span>}
      {isGiven && <Members of={it.properties ?? {}} required={it.required ?? []} value={value as Group} path={field.path} findings={field.findings} set={set} />}
      <Found of={field.findings.filter((f) => f.field === field.path)} />
    </fieldset>
  )
}

// begun is a group with the lists that it has to have.
const begun = ({ properties = {}, required = [] }: Described): Group =>
  Object.fromEntries(required.flatMap((name) => { const it = properties[name]; return it?.items ? [[name, emptyOf(it)]] : [] }))

// Either is left out, switched off, or a group.
function Either({ name, it, value, field, set }: SettingProps) {
  const { settingOf: nameOf } = useApiWords()
  const { t } = useWords()
  const id = useId()
  const group = it.oneOf?.find((one) => one.properties)
  const ways = { '': undefined, no: false, own: {} }
  const way = value === undefined ? '' : value === false ? 'no' : 'own'
  return (
    <div className="field setting">
      <label htmlFor={id}>{nameOf(name)}</label>
      <select className="input" id={id} value={way} aria-describedby={`${id}h`} onChange={(e) => set(ways[e.target.value as keyof typeof ways])}>
        <option value="">{t('settings.usual')}</option>
        <option value="no">{t('settings.none')}</option>
        <option value="own">{t('settings.own')}</option>
      </select>
      {it.description && <span className="hint" lang="en" id={`${id}h`}>{it.description}</span>}
      {way === 'own' && <Members of={group?.properties ?? {}} required={[]} value={value as Group} path={field.path} findings={field.findings} set={set} />}
      <Found of={field.findings.filter((f) => f.field === field.path)} />
    </div>
  )
}
