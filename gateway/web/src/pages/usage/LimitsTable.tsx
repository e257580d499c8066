import type { Schemas } from '../../api/client'
import { Mark, platforms as names } from '../../parts/platforms'
import { useWords } from '../../words'
import { sizeOf } from '../library/media'

// LimitsTable says of each platform what a post may have.
export function LimitsTable({ platforms }: { platforms: Schemas['PlatformLimits'][] }) {
  const { t, time } = useWords()
  const number = new Intl.NumberFormat(time.locale)
  const count = (n?: number) => (n === undefined ? '–' : number.format(n))
  const size = (bytes?: number) => (bytes === undefined ? '–' : sizeOf(bytes, time.locale))
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label={t('usage.limits')}>
      <table className="table numbers">
        <thead>
          <tr>
            <th scope="col">{t('filter.platform')}</th><th scope="col">{t('usage.text')}</th><th scope="col">{t('usage.media')}</th>
            <th scope="col">{t('usage.image')}</th><th scope="col">{t('usage.video')}</th><th scope="col">{t('usage.day')}</th>
          </tr>
        </thead>
        <tbody>
          {platforms.map((p) => (
            <tr key={p.platform}>
              <th scope="row"><span className="row"><Mark platform={p.platform} /> {names[p.platform].name}</span></th>
              <td>{count(p.text.maxLength)}</td>
              <td>{p.media.max}{p.media.required && <span className="muted"> {t('usage.needed')}</span>}</td>
              <td>{size(p.media.maxImageBytes)}</td>
              <td>{size(p.media.maxVideoBytes)}</td>
              <td>{count(p.postsPerDay)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
