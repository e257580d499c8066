import { useState } from 'react'
import type { Account } from '../../api/client'
import type { Brand } from '../../api/queries'
import { Icon, type IconName } from '../../parts/Icon'
import { Mark, platforms } from '../../parts/platforms'
import { useWords } from '../../words'

type AccountsProps = { brands: Brand[]; chosen: string[]; choose: (ids: string[]) => void }

// many is how many accounts are too many to look through.
const many = 16

// Accounts chooses where a post goes, by brand where there are some.
export function Accounts({ brands, chosen, choose }: AccountsProps) {
  const { t } = useWords()
  const [sought, seek] = useState('')
  const count = brands.reduce((sum, b) => sum + b.accounts.length, 0)
  const matches = (a: Account) => chosen.includes(a.id) || `${a.name} ${platforms[a.platform].name} ${a.brandName ?? ''}`.toLowerCase().includes(sought.trim().toLowerCase())
  const shown = brands.map((b) => ({ ...b, accounts: b.accounts.filter(matches) })).filter((b) => b.accounts.length > 0)
  return (
    <section className="card" aria-label={t('compose.accounts')}>
      <div className="body stack">
        <div className="row picks-head">
          <h2 className="grow">{t('compose.accounts')}</h2>
          {chosen.length > 0 && <button className="btn bare low" onClick={() => choose([])}>{t('compose.chooseNone')}</button>}
        </div>
        {count > many && <input className="input" type="search" aria-label={t('compose.seekAccount')} placeholder={t('compose.seekAccount')} value={sought} onChange={(e) => seek(e.target.value)} />}
        <div className="stack">
          {shown.map((brand) => <OfBrand key={brand.name ?? ''} brand={brand} isOnly={brands.length === 1} chosen={chosen} choose={choose} />)}
        </div>
        <Paused of={brands.flatMap((b) => b.accounts).filter((a) => chosen.includes(a.id) && a.paused)} />
      </div>
    </section>
  )
}

// Paused says of chosen accounts that the post waits for them.
function Paused({ of }: { of: Account[] }) {
  const { t } = useWords()
  if (of.length === 0) return null
  return (
    <ul className="stack" aria-live="polite">
      {of.map(({ id, name, platform, paused }) => (
        <li className="note warn" key={id}>
          <Icon name="pause" size={14} />
          <Mark platform={platform} size="low" />
          <span className="small grow">
            <span className="strong">{paused && t(`compose.pausedBy.${paused.by}`, { name })}{paused?.reason && `: ${paused.reason}`}</span><br />{t('compose.pausedAbout')}
          </span>
        </li>
      ))}
    </ul>
  )
}

function OfBrand({ brand, isOnly, chosen, choose }: { brand: Brand; isOnly: boolean; chosen: string[]; choose: (ids: string[]) => void }) {
  const { t } = useWords()
  const toggle = (id: string) => choose(chosen.includes(id) ? chosen.filter((c) => c !== id) : [...chosen, id])
  const rest = brand.accounts.filter((a) => !chosen.includes(a.id)).map((a) => a.id)
  return (
    <fieldset className="picks">
      {!isOnly && (
        <legend className="row">
          <span className="label">{brand.name ?? t('compose.noBrand')}</span>
          {brand.name && rest.length > 0 && <button className="btn bare low" onClick={() => choose([...chosen, ...rest])}>{t('compose.chooseBrand')}</button>}
        </legend>
      )}
      {brand.accounts.map((a) => (
        <label className="pick" key={a.id} data-chosen={chosen.includes(a.id)}>
          <input className="hidden" type="checkbox" checked={chosen.includes(a.id)} onChange={() => toggle(a.id)} />
          <Mark platform={a.platform} />
          <span className="clip">{nameOf(a)}</span>
          {a.paused && <Sign icon="pause" says={t('accounts.paused')} />}
          {a.needsReconnect && <Sign icon="alert" says={t('accounts.broken')} />}
        </label>
      ))}
    </fieldset>
  )
}

const Sign = ({ icon, says }: { icon: IconName; says: string }) => <span className="sign" role="img" aria-label={says} title={says}><Icon name={icon} size={14} /></span>

// nameOf leaves out of a simulated account's name that it is one.
const nameOf = (a: Account) => (a.name.toLowerCase() === `sandbox ${a.platform}` ? platforms[a.platform].name : a.name)
