import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, ask, Refusal, type PlatformName, type Schemas } from '../../api/client'
import type { Fields } from './writing'

// pause is how long nothing changes before it is checked, in milliseconds.
const pause = 300

// Finding is something that the API finds wrong, or worth a warning.
export type Finding = Schemas['Detail'] & { tone: 'bad' | 'warn' }

// Validity is what the API says of an entry.
export type Validity = {
  isValid: boolean
  findings: Finding[]
  platforms: Partial<Record<PlatformName, Schemas['Validity']>>
  error: Error | null // why it could not be asked
}

const unknown: Validity = { isValid: true, findings: [], platforms: {}, error: null }

// useValidities has the API judge each entry as it is written, by the rules of a creation.
export function useValidities(entries: Fields[]): Validity[] {
  const [settled, setSettled] = useState(entries)
  const written = JSON.stringify(entries)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(written) as Fields[]), pause)
    return () => clearTimeout(timer)
  }, [written])
  const answers = useQueries({
    queries: settled.map((fields) => ({
      queryKey: ['validity', fields],
      queryFn: () => judge(fields),
      enabled: (fields.platforms?.length ?? 0) > 0,
      placeholderData: keepPreviousData,
      staleTime: 60_000,
      retry: false,
    })),
  })
  return entries.map((_, i) => {
    const answer = entries[i]?.platforms?.length ? answers[i] : undefined // of nowhere nothing is wrong
    return { ...(answer?.data ?? unknown), error: answer?.error ?? null }
  })
}

// judge asks for a verdict; what is no post at all is refused, in details of the same kind.
async function judge(fields: Fields): Promise<Validity> {
  try {
    const { validation } = await ask(api.POST('/posts/validate', { body: fields as Schemas['PostValidate'] }))
    const findings = [
      ...validation.errors.map((d): Finding => ({ ...d, tone: 'bad' })),
      ...(validation.warnings ?? []).map((d): Finding => ({ ...d, tone: 'warn' })),
    ]
    return { isValid: validation.isValid, findings, platforms: validation.platforms, error: null }
  } catch (error) {
    if (!(error instanceof Refusal) || error.details.length === 0) throw error
    return { ...unknown, isValid: false, findings: error.details.map((d): Finding => ({ ...d, tone: 'bad' })) }
  }
}

// under are the findings about a field, such as mediaItems[0], and all that is in it.
export const under = (findings: Finding[], field: string) =>
  findings.filter((f) => f.field === field || f.field.startsWith(field + '.') || f.field.startsWith(field + '['))
