import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, ask, onTurned, Refusal, rememberToken, scopeOf, type Session } from './client'
import { showPasskey } from './signin'

const key = ['session']

// roles in the order of what they may do: each may do what those before it may.
export const roles = ['viewer', 'author', 'editor', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

// tabs of a browser share the session, and tell each other that it has changed.
const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('session')

// viewOf is what decides which data a session sees.
export const viewOf = (session: Session) => `${session.user.id} ${scopeOf(session)}`

// load reads the session, and forgets all that was read before if it saw other data.
async function load({ client }: { client: QueryClient }): Promise<Session | null> {
  try {
    const { session } = await ask(api.GET('/session'))
    rememberToken(session.csrfToken)
    const before = client.getQueryData<Session | null>(key)
    if (!before || viewOf(before) !== viewOf(session)) forget(client)
    return session
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null
    throw error
  }
}

const forget = (client: QueryClient) => client.removeQueries({ predicate: (q) => q.queryKey[0] !== 'session' })

// followTabs reads the session anew once another tab has changed it.
export function followTabs(client: QueryClient) {
  const reread = () => void client.invalidateQueries({ queryKey: key })
  tabs?.addEventListener('message', reread)
  onTurned(reread)
}

let turnedTo = '' // the scope that this tab has turned the session to, until it is shown

// isTurnedHere tells once whether it is this tab that has turned the session to a scope.
export function isTurnedHere(scope: string): boolean {
  const isHere = turnedTo === scope
  turnedTo = ''
  return isHere
}

// useSessionQuery reads who is signed in; null: nobody.
export function useSessionQuery() {
  return useQuery({ queryKey: key, queryFn: load, staleTime: 60_000, refetchOnWindowFocus: 'always' })
}

// useSession is the session of a page that is shown to those who have one alone.
export function useSession(): Session {
  const { data } = useSessionQuery()
  if (!data) throw new Error('a page for people who are signed in is shown without a session')
  return data
}

// useRights returns what tells whether whoever is signed in has at least a role.
export function useRights(): (role: Role) => boolean {
  const own = useSession().workspace?.role
  return useCallback((role) => own !== undefined && roles.indexOf(own) >= roles.indexOf(role), [own])
}

export const useMay = (role: Role) => useRights()(role)

// addressOf is where somebody asks from, without how much of a network it stands for.
export const addressOf = (network: string) => network.replace(/\/\d+$/, '')

// useSessionChanges are the ways to begin, turn and end the session.
export function useSessionChanges() {
  const client = useQueryClient()
  const begin = async () => {
    tabs?.postMessage('changed')
    await client.invalidateQueries({ queryKey: key })
  }
  return {
    signIn: async (email: string, password: string) => {
      await ask(api.POST('/session', { body: { email, password } }))
      await begin()
    },
    signInByPasskey: async () => {
      const credential = await showPasskey()
      if (!credential) return
      await ask(api.POST('/session/passkey', { body: { credential } }))
      await begin()
    },
    redeem: async (body: { token: string; email?: string; name?: string; password?: string }) => {
      await ask(api.POST('/session/link', { body }))
      await begin()
    },
    // join accepts an invitation: as whoever is signed in, or as somebody new.
    join: async (body: { token: string; name?: string; password?: string }) => {
      await ask(api.POST('/invitations/accept', { body }))
      await begin()
    },
    turn: async (body: { workspaceId?: string; test?: boolean }) => {
      const { session } = await ask(api.PATCH('/session', { body }))
      turnedTo = scopeOf(session)
      await begin()
    },
    signOut: async () => {
      await ask(api.DELETE('/session'))
      tabs?.postMessage('changed')
      client.setQueryData(key, null)
      forget(client)
    },
  }
}
