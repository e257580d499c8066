import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { roles, useMay } from '../../api/session'
import { Icon } from '../../parts/Icon'
import { Empty, Page } from '../../parts/Page'
import { useWords } from '../../words'
import { Invitations } from './Invitations'
import { Inviting } from './Inviting'
import { Members } from './Members'
import { invitations } from './people'

export function PeoplePage() {
  const { t } = useWords()
  const mayManage = useMay('admin')
  const open = useQuery({ ...invitations, enabled: mayManage })
  const [isInviting, setInviting] = useState(false)
  if (!mayManage) {
    return (
      <Page name={t('nav.people')} title={t('nav.people')}>
        <div className="card"><Empty icon="people" title={t('people.notYours')}>{t('people.notYoursAbout')}</Empty></div>
      </Page>
    )
  }
  return (
    <Page
      name={t('nav.people')} title={t('nav.people')} about={t('people.about')}
      actions={<button className="btn main" onClick={() => setInviting(true)}><Icon name="plus" /> {t('people.invite')}</button>}
    >
      <Members />
      {open.data && open.data.length > 0 && <Invitations open={open.data} />}
      <section className="card" aria-label={t('people.roles')}>
        <header><h2>{t('people.roles')}</h2></header>
        <dl className="facts">
          {roles.map((role) => <div key={role}><dt>{t(`role.${role}`)}</dt><dd>{t(`role.${role}About`)}</dd></div>)}
        </dl>
      </section>
      {isInviting && <Inviting close={() => setInviting(false)} />}
    </Page>
  )
}
