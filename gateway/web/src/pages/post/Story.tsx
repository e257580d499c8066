import type { Attempt, Post } from '../../api/client'
import type { AccountsById } from '../../api/queries'
import { Cause } from '../../parts/Cause'
import { Icon, type IconName } from '../../parts/Icon'
import { platforms } from '../../parts/platforms'
import { useWords, type Say, type Word } from '../../words'

// What happened is an event of the API, of which a failure is told apart whose outcome nobody can tell.
type What = Attempt['event'] | 'unknown'

const looks: Record<What, { icon: IconName; tone: string }> = {
  created: { icon: 'plus', tone: '' },
  updated: { icon: 'edit', tone: '' },
  cancelled: { icon: 'x', tone: '' },
  retried: { icon: 'retry', tone: '' },
  processing: { icon: 'clock', tone: '' },
  deferred: { icon: 'pause', tone: '' },
  retrying: { icon: 'retry', tone: 'warn' },
  outcome_unknown: { icon: 'alert', tone: 'warn' },
  look_failed: { icon: 'look', tone: 'warn' },
  not_found: { icon: 'look', tone: '' },
  found: { icon: 'look', tone: 'good' },
  incomplete: { icon: 'alert', tone: 'warn' },
  entry_failed: { icon: 'x', tone: 'bad' },
  published: { icon: 'check', tone: 'good' },
  failed: { icon: 'x', tone: 'bad' },
  unknown: { icon: 'alert', tone: 'warn' },
  skipped: { icon: 'x', tone: '' },
}

type StoryProps = { post: Post; attempts: Attempt[]; accounts: AccountsById }

// Story tells in the order of time what became of a post, and what comes next.
export function Story({ post, attempts, accounts }: StoryProps) {
  const { t, time } = useWords()
  const next = upcoming(post, attempts)
  let day = ''
  return (
    <ol className="story">
      {attempts.map((attempt, i) => {
        const today = time.day(attempt.at)
        const isNew = today !== day
        day = today
        return (
          <li key={i} data-tone={looks[whatOf(attempt)].tone}>
            {isNew && <p className="story-day">{today}</p>}
            <span className="story-dot"><Icon name={looks[whatOf(attempt)].icon} size={12} /></span>
            <p>{sentence(attempt, accounts, t)}</p>
            {attempt.message && <p className="small quiet"><Cause of={attempt} /></p>}
            <p className="small muted numbers">
              {time.seconds(attempt.at)}
              {attempt.nextAt && ` · ${t('story.next', { day: time.day(attempt.nextAt), time: time.seconds(attempt.nextAt) })}`}
              {attempt.url && <> · <a href={attempt.url} target="_blank" rel="noreferrer">{t('post.open')}</a></>}
            </p>
          </li>
        )
      })}
      {next && (
        <li data-tone="next">
          <span className="story-dot"><Icon name="clock" size={12} /></span>
          <p className="quiet">{t(post.platforms.every((p) => p.held) ? 'story.waits' : 'story.goesOut', { time: time.full(next) })}</p>
        </li>
      )}
    </ol>
  )
}

// upcoming is when a post goes out that has not begun to.
function upcoming(post: Post, attempts: Attempt[]): string | undefined {
  const hasBegun = attempts.some((a) => a.platform !== undefined && a.event !== 'deferred')
  return post.status === 'scheduled' && !hasBegun ? post.scheduledFor : undefined
}

const whatOf = ({ event, code }: Attempt): What => (event === 'failed' && code === 'outcome_unknown' ? 'unknown' : event)

function sentence(attempt: Attempt, accounts: AccountsById, t: Say): string {
  const account = accounts.get(attempt.accountId ?? '')?.name
  const platform = attempt.platform ? platforms[attempt.platform].name : ''
  const name = account && !account.toLowerCase().includes(platform.toLowerCase()) ? `${platform} (${account})` : platform
  // Only a thread has entries beyond the first; of a post the first is all there is.
  const where = attempt.entry ? t('story.entry', { where: name, n: attempt.entry + 1 }) : name
  const of = attempt.firstComment !== undefined ? '.comment' : ''
  return t(`story.${whatOf(attempt)}${of}` as Word, { where, calls: attempt.failedCalls ?? 1 })
}
