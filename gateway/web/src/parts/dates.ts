const two = (n: number) => String(n).padStart(2, '0')

// dateOf writes a day of the reader's zone as addresses have it: YYYY-MM-DD.
export const dateOf = (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`

// dayOf reads a day as addresses have it; what is none is today.
export function dayOf(date: string): Date {
  const at = new Date(date + 'T00:00:00')
  return Number.isNaN(at.getTime()) ? new Date(new Date().setHours(0, 0, 0, 0)) : at
}

export const addDays = (at: Date, days: number) => new Date(at.getFullYear(), at.getMonth(), at.getDate() + days)

// wallTime writes a moment of the reader's zone as inputs of times have it: YYYY-MM-DDTHH:MM.
export const wallTime = (at: Date) => `${dateOf(at)}T${two(at.getHours())}:${two(at.getMinutes())}`

// zone is the reader's.
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
