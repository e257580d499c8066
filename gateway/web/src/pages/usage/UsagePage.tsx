import './usage.css'
import { useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../../api/client'
import { platformLimits } from '../../api/queries'
import { Listing } from '../../parts/Listing'
import { Page, Problem, Waiting } from '../../parts/Page'
import { useWords } from '../../words'
import { LimitsTable } from './LimitsTable'
import { PlanRow } from './PlanRow'

type Usage = Schemas['Usage']

// UsagePage says what is used of the plan, which plans there are, and what posts are held to.
export function UsagePage() {
  const { t } = useWords()
  const used = useQuery({ queryKey: ['usage'], queryFn: async () => (await ask(api.GET('/usage'))).usage })
  const plan = useQuery({ queryKey: ['plan'], queryFn: async () => ask(api.GET('/billing/plan')) })
  const limits = useQuery(platformLimits)
  return (
    <Page name={t('nav.usage')} title={t('nav.usage')} about={t('usage.about')}>
      {used.isPending && <div className="card"><Waiting rows={2} /></div>}
      {used.error && <Problem error={used.error} retry={() => void used.refetch()} />}
      {used.data && <Meters usage={used.data} />}
      <section className="card" aria-label={t('usage.plans')}>
        <header><h2>{t('usage.plans')}</h2></header>
        <Listing query={plan} items={plan.data && smallestFirst(plan.data.plans)} empty={null}>
          {(p) => <PlanRow key={p.name} plan={p} isCurrent={p.name === plan.data?.plan.name} />}
        </Listing>
      </section>
      <section className="card" aria-label={t('usage.limits')}>
        <header><h2>{t('usage.limits')}</h2>{limits.data && <span className="pill">{t(`usage.by.${limits.data.limits}`)}</span>}</header>
        {limits.isPending && <Waiting />}
        {limits.error && <div className="body"><Problem error={limits.error} retry={() => void limits.refetch()} /></div>}
        {limits.data && <LimitsTable platforms={limits.data.platforms} />}
      </section>
    </Page>
  )
}

const smallestFirst = (plans: Schemas['Plan'][]) => [...plans].sort((a, b) => (a.accounts ?? Infinity) - (b.accounts ?? Infinity))

function Meters({ usage }: { usage: Usage }) {
  const { t, time } = useWords()
  return (
    <div className="meters">
      <Meter title={t('usage.posts')} of={usage.posts} about={t('usage.until', { day: time.day(usage.period.end) })} />
      <Meter title={t('usage.accounts')} of={usage.accounts} about={t('usage.connected')} />
      <section className="card body" aria-label={t('usage.requests')}>
        <p className="label">{t('usage.requests')}</p>
        <p className="figure numbers">{usage.plan.requestsPerMinute ?? t('usage.unlimited')}</p>
        <p className="small muted">{t('usage.perKey')}</p>
      </section>
    </div>
  )
}

function Meter({ title, of, about }: { title: string; of: Schemas['Allowance']; about: string }) {
  const { t } = useWords()
  return (
    <section className="card body" aria-label={title}>
      <p className="label">{title}</p>
      <p className="figure numbers">{of.used ?? t('usage.unlimited')} {of.limit !== null && <span className="muted">/ {of.limit}</span>}</p>
      {of.limit !== null && <meter min={0} max={of.limit} high={of.limit * 0.9} optimum={0} value={of.used ?? 0} aria-label={title} />}
      <p className="small muted">{of.used === null ? t('usage.notCounted') : about}</p>
    </section>
  )
}
