import { Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useId, useState, type KeyboardEvent } from 'react'
import { api, ask } from '../api/client'
import { everybodys } from '../api/queries'
import { useMay, useSession, useSessionChanges } from '../api/session'
import { useFocusReturn } from '../parts/Confirm'
import { Icon, type IconName } from '../parts/Icon'
import { excerpt } from '../parts/post'
import { StatusShape } from '../parts/Status'
import { useToast } from '../parts/toasts'
import { useWords } from '../words'
import { places, useGroups } from './places'

type Choice = { key: string; label: string; icon?: IconName; status?: Parameters<typeof StatusShape>[0]['status']; run: () => void }

// Palette goes anywhere by a few letters: to a page, to a post by the words in it, or to another mode.
export default function Palette({ close }: { close: () => void }) {
  const { t } = useWords()
  useFocusReturn()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const choices = useChoices(typed)
  const list = useId()
  const choose = (choice: Choice | undefined) => {
    if (!choice) return
    close()
    choice.run()
  }
  const steer = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setAt((i) => (i + step + choices.length) % Math.max(choices.length, 1))
    }
    if (event.key === 'Enter') choose(choices[at])
  }
  return (
    <Modal opened onClose={close} withCloseButton={false} padding={0} size={560} yOffset="14vh" lockScroll={false} title={undefined} aria-label={t('palette.open')} transitionProps={{ duration: 80 }} styles={{ body: { padding: 0 } }}>
      <input
        className="palette" data-autofocus placeholder={t('palette.hint')} aria-label={t('palette.hint')} value={typed}
        role="combobox" aria-expanded="true" aria-controls={list} aria-activedescendant={`${list}-${at}`}
        onChange={(e) => { setTyped(e.target.value); setAt(0) }} onKeyDown={steer}
      />
      <ul className="choices" role="listbox" id={list} aria-label={t('palette.open')}>
        {choices.map((choice, i) => (
          <li key={choice.key} id={`${list}-${i}`} role="option" aria-selected={i === at} onMouseMove={() => setAt(i)} onClick={() => choose(choice)}>
            {choice.icon && <Icon name={choice.icon} />}
            {choice.status && <StatusShape status={choice.status} />}
            <span className="clip">{choice.label}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="muted" style={{ padding: 'var(--s4)', textAlign: 'center' }}>{t('palette.nothing')}</p>}
    </Modal>
  )
}

function useChoices(typed: string): Choice[] {
  const { t } = useWords()
  const navigate = useNavigate()
  const { test } = useSession()
  const { turn } = useSessionChanges()
  const { fail } = useToast()
  const mayPost = useMay('author')
  const groups = useGroups()
  const found = useFound(typed.trim())
  const go: Choice[] = [
    ...(mayPost ? [{ key: 'new', label: t('nav.compose'), icon: 'plus' as const, run: () => void navigate({ to: '/compose' }) }] : []),
    ...[...places, ...groups.flatMap((g) => g.places)].map((p): Choice => ({ key: p.word, label: t(p.word), icon: p.icon, run: () => void navigate({ to: p.to }) })),
    { key: 'you', label: t('nav.you'), icon: 'user', run: () => void navigate({ to: '/you' }) },
    { key: 'mode', label: t(test ? 'mode.toLive' : 'mode.toTest'), icon: 'retry', run: () => void turn({ test: !test }).catch(fail) },
  ]
  const wanted = typed.trim().toLowerCase()
  return [
    ...go.filter((c) => c.label.toLowerCase().includes(wanted)),
    ...found.map((post): Choice => ({
      key: post.id, label: excerpt(post, t), status: post.status, run: () => void navigate({ to: '/posts/$id', params: { id: post.id } }),
    })),
  ]
}

function useFound(q: string) {
  const wanted = useDeferredValue(q)
  const { data } = useQuery({
    queryKey: ['posts', 'found', wanted],
    queryFn: async () => (await ask(api.GET('/posts', { params: { query: { ...everybodys, q: wanted, limit: 6 } } }))).posts,
    enabled: wanted.length >= 2,
  })
  return wanted.length >= 2 ? data ?? [] : []
}
