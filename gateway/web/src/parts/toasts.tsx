import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { words } from '../api/client'
import { useWaiting } from '../api/patience'
import { useWords } from '../words'
import { Icon } from './Icon'

type Toast = { id: number; path: string; tone: 'good' | 'bad'; text: string; action?: { label: string; run: () => void } }
type Show = (toast: Omit<Toast, 'id' | 'path'>) => void

const Context = createContext<{ show: Show; leave: (path: string) => void }>({ show: () => undefined, leave: () => undefined })

// life is how long a toast stays, in milliseconds; what went wrong stays longer, as it is longer to read.
const life = { good: 7000, bad: 12_000 }

// undoLife is how long one stays that offers to undo something.
const undoLife = 10_000

export function Toasts({ children }: { children: ReactNode }) {
  const { t } = useWords()
  const [toasts, setToasts] = useState<Toast[]>([])
  const close = useCallback((id: number) => setToasts((all) => all.filter((x) => x.id !== id)), [])
  const show = useCallback<Show>((toast) => {
    const id = performance.now()
    setToasts((all) => [...all.slice(-2), { ...toast, id, path: window.location.pathname }])
    setTimeout(() => close(id), toast.action ? undoLife : life[toast.tone])
  }, [close])
  const leave = useCallback((path: string) => setToasts((all) => all.filter((x) => x.tone === 'good' || x.path === path)), [])
  const context = useMemo(() => ({ show, leave }), [show, leave])
  return (
    <Context value={context}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        <Busy />
        {toasts.map((toast) => (
          <div className="toast" key={toast.id}>
            <span className="state" data-status={toast.tone === 'good' ? 'posted' : 'failed'}>
              <Icon name={toast.tone === 'good' ? 'check' : 'alert'} />
            </span>
            <span className="grow">{toast.text}</span>
            {toast.action && (
              <button className="btn low" onClick={() => { close(toast.id); toast.action?.run() }}>{toast.action.label}</button>
            )}
            <button className="btn bare low icon" aria-label={t('close')} onClick={() => close(toast.id)}><Icon name="x" size={14} /></button>
          </div>
        ))}
      </div>
    </Context>
  )
}

// Busy says that what is missing comes by itself.
function Busy() {
  const { t, time } = useWords()
  const until = useWaiting()
  if (until === 0) return null
  return (
    <div className="toast">
      <span className="state" data-status="scheduled"><Icon name="clock" /></span>
      <span className="grow">{t('busy', { time: time.seconds(new Date(until)) })}</span>
    </div>
  )
}

// useToastsOf takes away what went wrong on other pages than the one at a path. What went well stays: it is often the
// end of a page, and says so on the next.
export function useToastsOf(path: string) {
  const { leave } = useContext(Context)
  useEffect(() => leave(path), [leave, path])
}

// useToast returns what tells briefly how something went, and what tells of a failure in the API's words.
export function useToast() {
  const { show } = useContext(Context)
  const { t } = useWords()
  return { show, fail: (error: unknown) => show({ tone: 'bad', text: words(error, t('unreachable')) }) }
}
