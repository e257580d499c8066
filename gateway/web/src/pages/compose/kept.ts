import { useEffect, useState } from 'react'
import { useSession } from '../../api/session'
import { blank, type Writing } from './writing'

// useKept is a writing that is kept in the browser as one types, and so outlives a reload. One that begins
// with something, such as another post, begins with that instead.
export function useKept(name: string, begin: Writing | undefined) {
  const { workspace, test } = useSession()
  const key = `crier.writing.${workspace?.id}.${test}.${name}`
  const [writing, setWriting] = useState<Writing>(() => begin ?? read(key) ?? blank())
  const [wasKept] = useState(() => !begin && read(key) !== undefined)
  useEffect(() => localStorage.setItem(key, JSON.stringify(writing)), [key, writing])
  const forget = () => localStorage.removeItem(key)
  return { writing, setWriting, wasKept, forget }
}

function read(key: string): Writing | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<Writing> | null
    return kept ? { ...blank(), ...kept } : undefined
  } catch {
    return undefined
  }
}
