import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Account } from '../../api/client'
import type { BrandItem } from '../../api/queries'
import { Confirm, Dialog } from '../../parts/Confirm'
import { Foot, useSubmit } from '../../parts/Form'
import { Naming } from '../../parts/Naming'
import { Mark } from '../../parts/platforms'
import { useWords } from '../../words'

// useReread reads again what names brands.
function useReread() {
  const client = useQueryClient()
  return () => Promise.all(['brands', 'accounts'].map((key) => client.invalidateQueries({ queryKey: [key] })))
}

// NamingBrand makes a brand, or gives one another name.
export function NamingBrand({ brand, close }: { brand?: BrandItem; close: () => void }) {
  const { t } = useWords()
  const reread = useReread()
  return (
    <Naming
      title={t(brand ? 'brands.renameTitle' : 'brands.new')} action={t(brand ? 'save' : 'brands.make')} before={brand?.name ?? ''} close={close}
      save={async (name) => {
        if (brand) await ask(api.PATCH('/brands/{id}', { params: { path: { id: brand.id } }, body: { name } }))
        else await ask(api.POST('/brands', { body: { name } }))
        await reread()
      }}
    />
  )
}

// Membership says which accounts are in a brand. Each is in one at most, so that one of another leaves it.
export function Membership({ brand, accounts, close }: { brand: BrandItem; accounts: Account[]; close: () => void }) {
  const { t } = useWords()
  const reread = useReread()
  const [chosen, setChosen] = useState(new Set(accounts.filter((a) => a.brandId === brand.id).map((a) => a.id)))
  const toggle = (id: string) => setChosen((all) => {
    const next = new Set(all)
    if (!next.delete(id)) next.add(id)
    return next
  })
  const submit = useSubmit(async () => {
    const changed = accounts.filter((a) => (a.brandId === brand.id) !== chosen.has(a.id))
    try {
      for (const a of changed) {
        await ask(api.PATCH('/accounts/{id}', { params: { path: { id: a.id } }, body: { brandId: chosen.has(a.id) ? brand.id : null } }))
      }
    } finally {
      await reread()
    }
    close()
  })
  return (
    <Dialog title={t('brands.accountsOf', { name: brand.name })} close={close}>
      <form className="stack" onSubmit={submit.run}>
        <fieldset className="checks one scroll">
          <legend className="label">{t('brands.which')}</legend>
          {accounts.map((a) => (
            <label className="row" key={a.id}>
              <input type="checkbox" checked={chosen.has(a.id)} onChange={() => toggle(a.id)} />
              <Mark platform={a.platform} /> <span className="clip">{a.name}</span>
              {a.brandName && a.brandId !== brand.id && <span className="small muted clip">{t('brands.in', { name: a.brandName })}</span>}
            </label>
          ))}
        </fieldset>
        <Foot submit={submit} action={t('save')} close={close} />
      </form>
    </Dialog>
  )
}

export function Deleting({ brand, close }: { brand: BrandItem; close: () => void }) {
  const { t } = useWords()
  const reread = useReread()
  return (
    <Confirm
      title={t('brands.deleteTitle', { name: brand.name })} action={t('delete')} tone="bad" close={close}
      run={async () => {
        await ask(api.DELETE('/brands/{id}', { params: { path: { id: brand.id } } }))
        await reread()
      }}
    ><p>{t('brands.deleteAbout')}</p></Confirm>
  )
}
