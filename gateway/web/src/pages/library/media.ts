import type { Schemas } from '../../api/client'

export type Media = Schemas['Media']

// matches tells whether all words of a search are in what is known of an upload.
export function matches(media: Media, q: string): boolean {
  const known = [media.fileName, media.altText, media.type, media.mimeType].join(' ').toLowerCase()
  return q.toLowerCase().split(/\s+/).every((word) => known.includes(word))
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

// sizeOf writes a number of bytes as people read it.
export function sizeOf(bytes: number, locale: string): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return new Intl.NumberFormat(locale, { style: 'unit', unit: units[step], unitDisplay: 'short', maximumFractionDigits: step > 1 ? 1 : 0 }).format(bytes / 1000 ** step)
}

// durationOf writes seconds as minutes and seconds.
export const durationOf = (seconds: number) => `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')}`
