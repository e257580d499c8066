import type { ReactNode } from 'react'

type NarrowingProps = { label: string; all: string; value?: string; set: (value: string | undefined) => void; children: ReactNode }

// Narrowing is a choice that narrows what is shown to one of its options; all of it, where none is chosen.
export function Narrowing({ label, all, value = '', set, children }: NarrowingProps) {
  return (
    <select className="input" aria-label={label} value={value} onChange={(e) => set(e.target.value || undefined)}>
      <option value="">{all}</option>
      {children}
    </select>
  )
}
