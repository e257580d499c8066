import { api, ask, type Schemas } from '../../api/client'
import { useMay, useSession } from '../../api/session'
import { useSubmit } from '../../parts/Form'
import { Icon } from '../../parts/Icon'
import { Problem } from '../../parts/Page'
import { useWords } from '../../words'

// PlanRow is a plan; an owner can buy one that is not the workspace's, live, on the payment provider's page.
export function PlanRow({ plan, isCurrent }: { plan: Schemas['Plan']; isCurrent: boolean }) {
  const { t } = useWords()
  const { test } = useSession()
  const mayBuy = useMay('owner') && !test && !isCurrent
  const buy = useSubmit(async () => {
    const { checkout } = await ask(api.POST('/billing/checkout', { body: { plan: plan.name } }))
    window.location.href = checkout.url
  })
  const of = (limit: number | null) => limit ?? t('usage.unlimited')
  return (
    <li style={{ flexWrap: 'wrap' }}>
      <Icon name={isCurrent ? 'check' : 'gauge'} />
      <div className="grow">
        <p className="row"><span className="strong plan">{plan.name}</span>{isCurrent && <span className="pill good">{t('usage.current')}</span>}</p>
        <p className="small muted">{t('usage.plan', { posts: of(plan.postsPerMonth), accounts: of(plan.accounts), requests: of(plan.requestsPerMinute) })}</p>
      </div>
      {mayBuy && <button className="btn low" disabled={buy.busy} onClick={() => buy.run()}>{t('usage.buy')}</button>}
      {buy.error !== null && <Problem error={buy.error} />}
    </li>
  )
}
