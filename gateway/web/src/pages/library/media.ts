import type { Schemas } from '../../api/client'

export type Media = Schemas['Media']

// matches tells whether all words of a search are in what is known of an upload.
export function matches(media: Media, q: string): boolean {
  const known = [media.fileName, media.altText, media.type, media.mimeType].join(' ').toLowerCase()
  return q.toLowerCase().split(/\s+/).every((word) => known.includes(word))
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

// sizeOf writes a number of bytes as people read it: what is whole in units of 1024 is meant in those.
export function sizeOf(bytes: number, locale: string): string {
  const unit = bytes % 1024 ** 2 === 0 ? 1024 : 1000
  const step = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(unit) + 1e-9), units.length - 1)
  return new Intl.NumberFormat(locale, { style: 'unit', unit: units[step], unitDisplay: 'short', maximumFractionDigits: step > 1 ? 1 : 0 }).format(bytes / unit ** step)
}

// durationOf writes seconds as minutes and seconds.
export const durationOf = (seconds: number) => `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')}`
