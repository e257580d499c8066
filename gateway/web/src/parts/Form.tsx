import { useId, useState, type ComponentProps, type FormEvent } from 'react'

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
