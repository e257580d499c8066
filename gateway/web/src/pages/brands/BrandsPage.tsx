import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Account } from '../../api/client'
import { brands, useAccounts, type BrandItem } from '../../api/queries'
import { useMay } from '../../api/session'
import { Icon } from '../../parts/Icon'
import { Initial } from '../../parts/Initial'
import { Listing } from '../../parts/Listing'
import { Empty, Page } from '../../parts/Page'
import { Mark } from '../../parts/platforms'
import { useWords } from '../../words'
import { Deleting, Membership, NamingBrand } from './dialogs'

export function BrandsPage() {
  const { t } = useWords()
  const all = useQuery(brands)
  const { all: accounts } = useAccounts()
  const [isMaking, setMaking] = useState(false)
  const make = useMay('editor') && <button className="btn main" onClick={() => setMaking(true)}><Icon name="plus" /> {t('brands.new')}</button>
  const loose = accounts.filter((a) => a.brandId === null)
  return (
    <Page name={t('nav.brands')} title={t('nav.brands')} about={t('brands.about')} actions={make}>
      <div className="card">
        <Listing query={all} items={all.data} empty={<Empty icon="brand" title={t('brands.none')} action={make}>{t('brands.noneAbout')}</Empty>}>
          {(brand) => <Row key={brand.id} brand={brand} accounts={accounts} />}
        </Listing>
      </div>
      {loose.length > 0 && all.data && all.data.length > 0 && (
        <section className="card" aria-label={t('brands.loose')}>
          <header><h2>{t('brands.loose')}</h2><span className="muted numbers">{loose.length}</span></header>
          <div className="body"><Chips accounts={loose} /></div>
        </section>
      )}
      {isMaking && <NamingBrand close={() => setMaking(false)} />}
    </Page>
  )
}

function Row({ brand, accounts }: { brand: BrandItem; accounts: Account[] }) {
  const { t } = useWords()
  const [open, setOpen] = useState<'rename' | 'accounts' | 'delete'>()
  const mayKeep = useMay('editor')
  const mayManage = useMay('admin')
  const mine = accounts.filter((a) => a.brandId === brand.id)
  const close = () => setOpen(undefined)
  return (
    <li>
      <Initial name={brand.name} kind="crest" />
      <div className="grow stack tight">
        <p className="strong clip">{brand.name}</p>
        {mine.length > 0 ? <Chips accounts={mine} /> : <p className="small muted">{t('brands.noAccounts')}</p>}
      </div>
      <div className="row">
        {mayManage && <button className="btn low" onClick={() => setOpen('accounts')}><Icon name="account" size={14} /> {t('nav.accounts')}</button>}
        {mayKeep && <button className="btn bare low icon" aria-label={t('brands.rename', { name: brand.name })} onClick={() => setOpen('rename')}><Icon name="edit" /></button>}
        {mayKeep && <button className="btn bare low icon" aria-label={t('brands.deleteOf', { name: brand.name })} onClick={() => setOpen('delete')}><Icon name="trash" /></button>}
      </div>
      {open === 'rename' && <NamingBrand brand={brand} close={close} />}
      {open === 'accounts' && <Membership brand={brand} accounts={accounts} close={close} />}
      {open === 'delete' && <Deleting brand={brand} close={close} />}
    </li>
  )
}

function Chips({ accounts }: { accounts: Account[] }) {
  return (
    <ul className="chips">
      {accounts.map((a) => <li className="row" key={a.id}><Mark platform={a.platform} /> <span className="clip small">{a.name}</span></li>)}
    </ul>
  )
}
