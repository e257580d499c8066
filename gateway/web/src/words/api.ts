import { known, useWords } from '.'
import german from './api.de.json'

type Texts = Record<string, string>

const texts: Record<keyof typeof german, Texts> = german

// written are words that are not written as others.
const written: Texts = { ai: 'AI', id: 'ID', ids: 'IDs', url: 'URL', html: 'HTML', ms: '(ms)' }

// spoken makes words of a name or a value of the API: coverUrl, MUTUAL_FOLLOW_FRIENDS.
function spoken(name: string): string {
  const parts = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[\s_]+/).map((w) => w.toLowerCase())
  const text = parts.map((w) => written[w] ?? w).join(' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

// useApiWords returns what says the API's own words: in English they are near enough to be read as they are, other
// languages have words for them.
export function useApiWords() {
  const { t, time, language } = useWords()
  const own = (kind: keyof typeof german, word: string) => (language === 'de' ? texts[kind][word] : undefined)
  return {
    // settingOf is what a setting of a platform is called.
    settingOf: (name: string) => {
      const word = known(`setting.${name}`)
      return word ? t(word) : own('settings', name) ?? spoken(name)
    },
    // choiceOf is what a value of a setting is called.
    choiceOf: (value: string) => own('values', value) ?? spoken(value),
    // fieldOf is what the audit log has changed.
    fieldOf: (field: string) => own('fields', field) ?? field,
    // changedOf is a value that the audit log has of a field, or several.
    changedOf: (value: string) => value.split(', ').map((one) => {
      const word = known(`status.${one}`) ?? known(`role.${one}`) ?? known(`said.${one}`)
      return word ? t(word) : instant.test(one) ? time.full(one) : one
    }).join(', '),
    // causeOf says a code of a failure, where the API's message is in another language.
    causeOf: (code: string | undefined) => own('codes', code ?? ''),
  }
}
