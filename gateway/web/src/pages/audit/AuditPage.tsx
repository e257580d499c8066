import './audit.css'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../api/client'
import { brands, webhooks } from '../../api/queries'
import { addressOf, useMay, useSession } from '../../api/session'
import { useSubmit } from '../../parts/Form'
import { Icon } from '../../parts/Icon'
import { Listing, More } from '../../parts/Listing'
import { Empty, Page } from '../../parts/Page'
import { excerpt } from '../../parts/post'
import { useToast } from '../../parts/toasts'
import { useWords } from '../../words'
import { useApiWords } from '../../words/api'
import { deedOf, formats, readPage, saveExport, type Actor } from './audit'
import { Filters } from './Filters'

type Row = Schemas['AuditRecord']

export function AuditPage() {
  const { t } = useWords()
  const search = useSearch({ from: '/audit' })
  const mayRead = useMay('admin')
  const { test } = useSession()
  const pages = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ pageParam }) => readPage(search, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    enabled: mayRead,
  })
  if (!mayRead) {
    return (
      <Page name={t('nav.audit')} title={t('nav.audit')}>
        <div className="card"><Empty icon="list" title={t('audit.notYours')}>{t('people.notYoursAbout')}</Empty></div>
      </Page>
    )
  }
  const isFiltered = Object.values(search).some(Boolean)
  const records = pages.data?.pages.flatMap((p) => p.records)
  const posts = new Map(pages.data?.pages.flatMap((p) => p.posts).map((p) => [p.id, excerpt(p, t)]))
  return (
    <Page
      name={t('nav.audit')} title={t('nav.audit')} about={t(test ? 'audit.aboutTest' : 'audit.about')}
      actions={<>{formats.map((f) => <Export key={f} format={f} />)}</>}
    >
      <Filters seen={records?.map((r) => r.actor) ?? []} />
      <div className="card">
        <Listing query={pages} items={records} rows={6} empty={<Empty icon="list" title={t(isFiltered ? 'audit.noneMatch' : 'audit.none')} />}>
          {(record) => <Entry key={record.id} record={record} post={posts.get(record.subject.id ?? '')} />}
        </Listing>
        <More of={pages} />
      </div>
    </Page>
  )
}

function Export({ format }: { format: (typeof formats)[number] }) {
  const { t } = useWords()
  const search = useSearch({ from: '/audit' })
  const { fail } = useToast()
  const { run, busy } = useSubmit(() => saveExport(search, format).catch(fail))
  return <button className="btn" disabled={busy} onClick={() => run()}>{t(`audit.${format}`)}</button>
}

// Entry is a row of the log; post is what the post says that it is about, if it is there still.
function Entry({ record: { action, actor, subject, changes, at }, post }: { record: Row; post?: string }) {
  const { t, time } = useWords()
  const { changedOf, fieldOf } = useApiWords()
  const all = useQuery(brands).data ?? []
  const said = (value: string) => all.find((b) => b.id === value)?.name ?? changedOf(value)
  const hook = useQuery(webhooks).data?.find((w) => w.id === subject.id)?.url
  const named = subject.name ?? post ?? hook ?? subject.id
  return (
    <li className="entry-row">
      <Icon name={actor.kind === 'key' || actor.kind === 'device' ? 'key' : actor.kind === 'user' ? 'user' : 'gauge'} />
      <div className="grow">
        <p className="row wrap tight"><By actor={actor} /> <span title={action}>{deedOf(action, t)}</span> {named && <Named subject={subject} name={named} isGone={action.endsWith('.delete')} />}</p>
        {changes.length > 0 && (
          <ul className="changes small">
            {changes.map((c) => <li key={c.field}><span className="muted">{fieldOf(c.field)}</span> {c.before && <del>{said(c.before)}</del>} {c.after && <ins>{said(c.after)}</ins>}</li>)}
          </ul>
        )}
        <p className="small muted clip">{time.full(at)} · {t(`audit.by.${actor.kind}`)}{actor.address && ` · ${addressOf(actor.address)}`}</p>
      </div>
    </li>
  )
}

// By is who did it, and leads to all that they did.
function By({ actor: { id, kind, name } }: { actor: Actor }) {
  const { t } = useWords()
  if (!id || !name) return <span className="strong">{name ?? t(`audit.by.${kind}`)}</span>
  return <Link className="strong by" from="/audit" to="." search={(s) => ({ ...s, actor: id })} title={t('audit.allOf', { name })}>{name}</Link>
}

// Named is what was changed, with a link where it has a page.
function Named({ subject: { type, id }, name, isGone }: { subject: Row['subject']; name: string; isGone: boolean }) {
  if (isGone) return <span className="clip">{name}</span>
  if (id && type === 'post') return <Link className="clip" to="/posts/$id" params={{ id }}>{name}</Link>
  if (id && type === 'queue') return <Link className="clip" to="/queues/$id" params={{ id }}>{name}</Link>
  if (id && type === 'webhook') return <Link className="clip" to="/webhooks/$id" params={{ id }}>{name}</Link>
  return <span className="clip">{name}</span>
}
