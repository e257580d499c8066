import { useState } from 'react'
import { useWords } from '../words'
import { Dialog } from './Confirm'
import { Field, Foot, useSubmit } from './Form'

// save stores the name; false: nothing came of it, and the dialog stays.
type NamingProps = { title: string; action: string; hint?: string; before: string; close: () => void; save: (name: string) => Promise<false | void> }

// Naming asks what something is to be called.
export function Naming({ title, action, hint, before, close, save }: NamingProps) {
  const { t } = useWords()
  const [name, setName] = useState(before)
  const submit = useSubmit(async () => {
    if (await save(name) !== false) close()
  })
  return (
    <Dialog title={title} close={close}>
      <form className="stack" onSubmit={submit.run}>
        <Field label={t('name')} hint={hint} maxLength={200} data-autofocus value={name} set={setName} />
        <Foot submit={submit} action={action} close={close} />
      </form>
    </Dialog>
  )
}
