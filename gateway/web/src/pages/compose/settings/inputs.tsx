import { useWords } from '../../../words'
import { useApiWords } from '../../../words/api'
import { inputTypeOf } from './described'
import type { InputProps } from './Setting'

// Choice is one of several values, or none.
export function Choice({ it, value, about, set }: InputProps) {
  const { t } = useWords()
  const { choiceOf } = useApiWords()
  return (
    <select className="input" {...about} value={String(value ?? '')} onChange={(e) => set(e.target.value || undefined)}>
      <option value="">{it.default === undefined ? t('settings.notChosen') : t('settings.default', { value: choiceOf(String(it.default)) })}</option>
      {it.enum?.filter((one) => one !== it.default).map((one) => <option key={one} value={one}>{choiceOf(one)}</option>)}
    </select>
  )
}

// Switch is what is off or on where it is left out.
export function Switch({ it, value, about, set }: InputProps) {
  const isOn = Boolean(value ?? it.default)
  return <input type="checkbox" className="switch" role="switch" {...about} checked={isOn} onChange={() => set(!isOn === it.default ? undefined : !isOn)} />
}

// Whether is yes, no, or what the account has where it is left out.
export function Whether({ value, about, set }: InputProps) {
  const { t } = useWords()
  const ways = { '': undefined, yes: true, no: false }
  return (
    <select className="input" {...about} value={value === undefined ? '' : value ? 'yes' : 'no'} onChange={(e) => set(ways[e.target.value as keyof typeof ways])}>
      <option value="">{t('settings.usual')}</option>
      <option value="yes">{t('settings.yes')}</option>
      <option value="no">{t('settings.no')}</option>
    </select>
  )
}

// Line is a text or a number.
export function Line({ it, value, about, set }: InputProps) {
  const isNumber = it.type === 'integer' || it.type === 'number'
  const read = (text: string) => {
    if (text === '') return undefined
    return isNumber ? Number(text) : text
  }
  return (
    <input
      className="input" {...about} type={isNumber ? 'number' : inputTypeOf(it)} value={String(value ?? '')} maxLength={it.maxLength}
      min={it.minimum} max={it.maximum} step={it.type === 'number' ? 'any' : undefined} onChange={(e) => set(read(e.target.value))}
    />
  )
}
