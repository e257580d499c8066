import type { PlatformName } from '../api/client'

// platforms have the names that people know them by, and the letters of their marks.
export const platforms: Record<PlatformName, { name: string; mark: string }> = {
  twitter: { name: 'X', mark: 'X' },
  instagram: { name: 'Instagram', mark: 'Ig' },
  facebook: { name: 'Facebook', mark: 'f' },
  linkedin: { name: 'LinkedIn', mark: 'in' },
  tiktok: { name: 'TikTok', mark: 'Tk' },
  threads: { name: 'Threads', mark: '@' },
  bluesky: { name: 'Bluesky', mark: 'Bs' },
  youtube: { name: 'YouTube', mark: 'Yt' },
  pinterest: { name: 'Pinterest', mark: 'P' },
  telegram: { name: 'Telegram', mark: 'Tg' },
  mastodon: { name: 'Mastodon', mark: 'M' },
  'google-business': { name: 'Google Business', mark: 'G' },
}

export function Mark({ platform, size = '' }: { platform: PlatformName; size?: '' | 'low' | 'big' }) {
  return (
    <span className={`mark ${size}`} data-platform={platform} role="img" aria-label={platforms[platform].name}>
      {platforms[platform].mark}
    </span>
  )
}

// Marks shows each platform once, the first few by their marks.
export function Marks({ of, most = 4 }: { of: PlatformName[]; most?: number }) {
  const each = [...new Set(of)]
  return (
    <span className="marks">
      {each.slice(0, most).map((p) => <Mark key={p} platform={p} size="low" />)}
      {each.length > most && <span className="small muted numbers">+{each.length - most}</span>}
    </span>
  )
}
