import { useEffect, useState } from 'react'
import { useSession } from '../../api/session'
import { blank, type Writing } from './writing'

// Beginning is what a writing begins with, unless one was kept before.
export type Beginning = {
  name: string // by which it is kept
  origin?: string // the version of the post it is of, or the time or the queue it is for
  start: Writing
  adopt?: (kept: Writing) => Writing // what becomes of a kept one of another origin; without it that is given up
}

// useKept is a writing that is kept in the browser as one types, and so outlives a reload, and leaving the page.
export function useKept(beginning: Beginning) {
  const { workspace, test } = useSession()
  const [{ name, origin, start, adopt }] = useState(beginning)
  const key = `crier.writing.${workspace?.id}.${test}.${name}`
  const [kept] = useState(() => {
    const before = read(key)
    return before && (before.origin === origin ? before : adopt?.(before))
  })
  const [writing, setWriting] = useState<Writing>(kept ?? start)
  useEffect(() => {
    if (writing === start) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify({ ...writing, origin }))
  }, [key, writing, start, origin])
  const forget = () => localStorage.removeItem(key)
  const restart = () => setWriting(start)
  return { writing, setWriting, isKept: kept !== undefined && writing !== start, restart, forget }
}

function read(key: string): (Writing & { origin?: string }) | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<Writing> | null
    return kept ? { ...blank(), ...kept } : undefined
  } catch {
    return undefined
  }
}
