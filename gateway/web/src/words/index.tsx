import { createContext, useContext, useMemo, useState, type ReactNode } from 'react'
import de from './de.json'
import en from './en.json'

export type Language = 'en' | 'de'
export type Word = keyof typeof en
type Values = Record<string, string | number>

const texts: Record<Language, Record<string, string>> = { en, de }

// say finds a sentence and puts values into its {gaps}. A word of one thing is beside it, as "word.one".
function say(language: Language, word: Word, values: Values = {}): string {
  const one = values['n'] === 1 ? texts[language][word + '.one'] : undefined
  const sentence = one ?? texts[language][word] ?? en[word]
  return sentence.replace(/\{(\w+)\}/g, (_, gap: string) => String(values[gap] ?? ''))
}

const kept = 'crier.language'

function preferred(): Language {
  const chosen = localStorage.getItem(kept) ?? navigator.language
  return chosen.startsWith('de') ? 'de' : 'en'
}

// known returns a word if there is such a one.
export const known = (word: string): Word | undefined => (word in en ? (word as Word) : undefined)

export type Say = (word: Word, values?: Values) => string

function speech(language: Language, speak: (language: Language) => void) {
  const t: Say = (word, values) => say(language, word, values)
  return { t, language, speak, time: times(language) }
}

const Context = createContext<ReturnType<typeof speech> | null>(null)

export function Words({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(preferred)
  document.documentElement.lang = language
  const spoken = useMemo(() => speech(language, (next) => {
    localStorage.setItem(kept, next)
    setLanguage(next)
  }), [language])
  return <Context value={spoken}>{children}</Context>
}

// useWords returns what says things in the reader's language, and its times; they change with it alone.
export function useWords() {
  const spoken = useContext(Context)
  if (!spoken) throw new Error('nothing says in which language')
  return spoken
}

// times write moments in the reader's zone.
function times(language: Language) {
  const locale = language === 'de' ? 'de-DE' : 'en-GB'
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, options)
    return (at: string | Date) => formatter.format(new Date(at))
  }
  return {
    locale,
    day: format({ weekday: 'short', day: 'numeric', month: 'short' }),
    clock: format({ hour: '2-digit', minute: '2-digit' }),
    seconds: format({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    full: format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' }),
    in: (zone: string) => format({ hour: '2-digit', minute: '2-digit', timeZone: zone }),
  }
}
