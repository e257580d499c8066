import type { Account } from '../../api/client'
import type { Brand } from '../../api/queries'
import { Icon } from '../../parts/Icon'
import { Mark, platforms } from '../../parts/platforms'
import { useWords } from '../../words'
import type { Validity } from './validity'

type AccountsProps = { brands: Brand[]; chosen: string[]; validity: Validity; choose: (ids: string[]) => void }

// Accounts chooses where a post goes, by brand where there are some.
export function Accounts({ brands, chosen, validity, choose }: AccountsProps) {
  const { t } = useWords()
  const toggle = (id: string) => choose(chosen.includes(id) ? chosen.filter((c) => c !== id) : [...chosen, id])
  return (
    <section className="card" aria-label={t('compose.accounts')}>
      <div className="body stack">
        <div className="row">
          <h2 className="grow">{t('compose.accounts')}</h2>
          {chosen.length > 0 && <button className="btn bare low" onClick={() => choose([])}>{t('compose.chooseNone')}</button>}
        </div>
        {brands.map((brand) => (
          <fieldset className="picks" key={brand.name ?? ''}>
            {brands.length > 1 && <legend className="label">{brand.name ?? t('compose.noBrand')}</legend>}
            {brand.accounts.map((a) => (
              <label className="pick" key={a.id} data-chosen={chosen.includes(a.id)}>
                <input className="hidden" type="checkbox" checked={chosen.includes(a.id)} onChange={() => toggle(a.id)} />
                <Mark platform={a.platform} />
                <span className="clip">{nameOf(a)}</span>
                {chosen.includes(a.id) && <Left left={validity?.platforms[a.platform]?.remainingCharacters} isWrong={validity?.platforms[a.platform]?.valid === false} />}
                {a.needsReconnect && <Icon name="alert" size={14} />}
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </section>
  )
}

const nameOf = (a: Account) => (a.name.toLowerCase() === `sandbox ${a.platform}` ? platforms[a.platform].name : a.name)

// Left is how many characters a platform still takes.
export function Left({ left, isWrong }: { left?: number; isWrong?: boolean }) {
  const { t } = useWords()
  if (left === undefined) return null
  const tone = left < 0 || isWrong ? 'bad' : left < 20 ? 'warn' : ''
  return <span className={`pill numbers ${tone}`} title={t('compose.left', { n: left })}>{left}</span>
}
