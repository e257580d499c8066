import { queryOptions } from '@tanstack/react-query'
import { api, ask } from '../../api/client'

export const members = queryOptions({
  queryKey: ['members'],
  queryFn: async () => (await ask(api.GET('/members'))).members,
})

export const invitations = queryOptions({
  queryKey: ['invitations'],
  queryFn: async () => (await ask(api.GET('/invitations'))).invitations,
})

// invitationLink is where whoever is invited accepts. What stands after # is sent to no server.
export const invitationLink = (token: string) => `${window.location.origin}/invitations/accept#${token}`
