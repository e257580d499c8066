import { useState } from 'react'
import { useNeeds, type Need } from '../../api/queries'
import { Empty, Page, Problem, Waiting } from '../../parts/Page'
import { PostRow } from '../../parts/PostRow'
import { useWords } from '../../words'
import { NeedRow } from './NeedRow'

const kinds: Need['kind'][] = ['account', 'unknown', 'failed', 'held', 'webhook', 'key']

export function NeedsPage() {
  const { t } = useWords()
  const { needs, dismissed, retried, isPending, error } = useNeeds()
  const [isOpen, setOpen] = useState(false)
  return (
    <Page name={t('nav.needs')} title={t('nav.needs')} about={t('needs.about')}>
      {error && <Problem error={error} />}
      {isPending && <div className="card"><Waiting /></div>}
      {!isPending && !error && needs.length + retried.length === 0 && (
        <div className="card"><Empty icon="check" title={t('needs.none')}>{t('needs.noneAbout')}</Empty></div>
      )}
      {kinds.map((kind) => <Needs key={kind} title={t(`needs.${kind}`)} of={needs.filter((n) => n.kind === kind)} />)}
      {retried.length > 0 && (
        <section className="card" aria-label={t('needs.retried')}>
          <header><h2>{t('needs.retried')}</h2><span className="muted numbers">{retried.length}</span></header>
          <ul className="list">{retried.map((post) => <PostRow key={post.id} post={post} />)}</ul>
        </section>
      )}
      {dismissed.length > 0 && (
        <div><button className="btn bare low" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{t(isOpen ? 'needs.hide' : 'needs.show', { n: dismissed.length })}</button></div>
      )}
      {isOpen && <Needs title={t('needs.aside')} of={dismissed} />}
    </Page>
  )
}

function Needs({ title, of }: { title: string; of: Need[] }) {
  if (of.length === 0) return null
  return (
    <section className="card" aria-label={title}>
      <header><h2>{title}</h2><span className="muted numbers">{of.length}</span></header>
      <ul className="list">{of.map((need) => <NeedRow key={need.id} need={need} />)}</ul>
    </section>
  )
}
