import { Modal } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { useWords } from '../words'
import { useSubmit } from './Form'
import { Problem } from './Page'

type ConfirmProps = { title: string; children: ReactNode; action: string; tone?: 'main' | 'bad'; close: () => void; run: () => Promise<unknown> }

// Confirm asks before something is done that cannot be taken back, and stays open where it is refused.
export function Confirm({ title, children, action, tone = 'main', close, run }: ConfirmProps) {
  const { t } = useWords()
  const submit = useSubmit(async () => {
    await run()
    close()
  })
  return (
    <Dialog title={title} close={close}>
      <div className="stack">
        {children}
        {submit.error !== null && <Problem error={submit.error} />}
        <div className="row end">
          <button className="btn" onClick={close}>{t('no')}</button>
          <button className={`btn ${tone}`} disabled={submit.busy} onClick={() => submit.run()} data-autofocus>{action}</button>
        </div>
      </div>
    </Dialog>
  )
}

// useFocusReturn gives the focus back to what had it, if that is still there, once something over the page is gone.
export function useFocusReturn() {
  const [before] = useState(focused)
  useEffect(() => () => { if (before instanceof HTMLElement) before.focus({ preventScroll: true }) }, [before])
}

// focused is what has the focus; for a menu's item, which goes with its menu, it is the button of the menu.
function focused() {
  const at = document.activeElement
  const button = at?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return (button && document.getElementById(button)) || at
}

export function Dialog({ title, close, children, size = 460 }: { title: string; close: () => void; children: ReactNode; size?: number }) {
  const { t } = useWords()
  useFocusReturn()
  return (
    <Modal opened onClose={close} title={title} size={size} centered lockScroll={false} closeButtonProps={{ 'aria-label': t('close') }} overlayProps={{ backgroundOpacity: 0.4 }} transitionProps={{ duration: 100 }}>
      {children}
    </Modal>
  )
}
