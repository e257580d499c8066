import { Link } from '@tanstack/react-router'
import type { Post, Target } from '../../api/client'
import type { AccountsById } from '../../api/queries'
import { Cause } from '../../parts/Cause'
import { Held } from '../../parts/Held'
import { Icon } from '../../parts/Icon'
import { Mark, platforms } from '../../parts/platforms'
import { standing } from '../../parts/post'
import { StatusPill, type Status } from '../../parts/Status'
import { useWords } from '../../words'

// Targets shows what became of a post on each account.
export function Targets({ post, accounts }: { post: Post; accounts: AccountsById }) {
  return <ul className="list">{post.platforms.map((p) => <Row key={p.platform + p.accountId} target={p} status={post.status === 'draft' ? 'draft' : standing(p)} name={accounts.get(p.accountId)?.name} />)}</ul>
}

function Row({ target, status, name }: { target: Target; status: Status; name?: string }) {
  const { t, time } = useWords()
  const cause = target.error ?? (target.previousError ? { message: target.previousError } : undefined)
  const needsReconnect = target.error?.code === 'account_needs_reconnect'
  return (
    <li style={{ alignItems: 'flex-start' }}>
      <Mark platform={target.platform} />
      <div className="grow">
        <div className="row">
          <span className="strong clip">{name ?? platforms[target.platform].name}</span>
          <StatusPill status={status} />
        </div>
        <p className="small muted">{platforms[target.platform].name}{target.postedAt && ` · ${time.seconds(target.postedAt)}`}</p>
        {target.contentOverride && <p className="said small quiet" style={{ marginTop: 4 }}>{target.contentOverride}</p>}
        {target.held && <p className="small"><Held of={target.held} />{target.held.by === 'member' && <> · <Link to="/accounts">{t('nav.accounts')}</Link></>}</p>}
        {!target.held && cause && <p className="small problem"><Cause of={cause} />{needsReconnect && <> · <Link to="/accounts">{t('accounts.reconnect')}</Link></>}</p>}
      </div>
      {target.postUrl && <a className="btn low" href={target.postUrl} target="_blank" rel="noreferrer"><Icon name="out" size={14} /> {t('post.open')}</a>}
    </li>
  )
}
