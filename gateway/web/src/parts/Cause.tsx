import { sentence } from '../api/client'
import { useApiWords } from '../words/api'

type CauseProps = { of: { code?: string; message?: string } }

// Cause says why something failed: in the reader's language by its code, and in the API's words, which are English.
export function Cause({ of: { code, message } }: CauseProps) {
  const { causeOf } = useApiWords()
  const own = causeOf(code)
  return <>{own}{own && message && ' '}{message && <span lang="en">{statement(message)}</span>}</>
}

// statement has a message of the API begin and end as a sentence, without the field of a request whose choice is a
// person's here.
const statement = (message: string) => sentence(message).replace(/ with acceptDuplicate(: true)?/, '').replace(/[^.!?…:)\]]$/, '$&.')
