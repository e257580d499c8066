import { useId, useState, type ComponentProps, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../words'
import { Problem } from './Page'

// useSubmit runs what a form is for, once at a time, and keeps why it was refused.
export function useSubmit(action: () => Promise<unknown>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = async (event?: FormEvent) => {
    event?.preventDefault()
    setBusy(true)
    setError(null)
    await action().catch(setError)
    setBusy(false)
  }
  return { run: (event?: FormEvent) => void run(event), busy, error }
}

type FieldProps = { label: string; hint?: string; value: string; set: (value: string) => void } & Omit<ComponentProps<'input'>, 'id' | 'value' | 'onChange'>

// Field is a line of text with its label; it has to be filled in unless it says otherwise.
export function Field({ label, hint, value, set, ...input }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input className="input" id={id} required value={value} onChange={(e) => set(e.target.value)} aria-describedby={hint && id + 'h'} {...input} />
      {hint && <span className="hint" id={id + 'h'}>{hint}</span>}
    </div>
  )
}

// NewPassword is where somebody chooses a password.
export function NewPassword(input: Pick<FieldProps, 'value' | 'set'>) {
  const { t } = useWords()
  return <Field label={t('signin.newPassword')} hint={t('signin.passwordRule')} type="password" autoComplete="new-password" minLength={12} {...input} />
}

type SelectProps = { label: string; hint?: ReactNode; value: string; set: (value: string) => void; children: ReactNode } & Omit<ComponentProps<'select'>, 'id' | 'value' | 'onChange'>

// Select is a choice of one of several, with its label.
export function Select({ label, hint, value, set, children, ...select }: SelectProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select className="input" id={id} value={value} onChange={(e) => set(e.target.value)} aria-describedby={hint ? id + 'h' : undefined} {...select}>{children}</select>
      {hint && <span className="hint" id={id + 'h'}>{hint}</span>}
    </div>
  )
}

type OneOfProps<T> = { label: string; of: readonly T[]; value: T; set: (value: T) => void; name: (value: T) => string; about: (value: T) => string }

// OneOf is a choice of one of a few, each with what it means.
export function OneOf<T extends string>({ label, of, value, set, name, about }: OneOfProps<T>) {
  const id = useId()
  return (
    <fieldset className="checks one">
      <legend className="label">{label}</legend>
      {of.map((one) => (
        <label className="row" key={one}><input type="radio" name={id} checked={value === one} onChange={() => set(one)} /> <span><span className="strong">{name(one)}</span> <span className="muted">{about(one)}</span></span></label>
      ))}
    </fieldset>
  )
}

type FootProps = { submit: Pick<ReturnType<typeof useSubmit>, 'busy' | 'error'>; action: string; close: () => void; disabled?: boolean }

// Foot ends the form of a dialog: why it was refused, and the ways out.
export function Foot({ submit, action, close, disabled }: FootProps) {
  const { t } = useWords()
  return (
    <>
      {submit.error !== null && <Problem error={submit.error} />}
      <div className="row end">
        <button className="btn" type="button" onClick={close}>{t('no')}</button>
        <button className="btn main" disabled={submit.busy || disabled}>{action}</button>
      </div>
    </>
  )
}
