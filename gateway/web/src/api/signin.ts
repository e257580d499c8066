import { api, ask, Refusal, type Schemas } from './client'

// providers are the ways to sign in that the server offers beside passwords.
export const providers = {
  queryKey: ['providers'],
  queryFn: () => ask(api.GET('/session/providers')),
  staleTime: Infinity,
}

export const passkeys = {
  queryKey: ['passkeys'],
  queryFn: async () => (await ask(api.GET('/me/passkeys'))).passkeys,
}

export const identities = {
  queryKey: ['identities'],
  queryFn: async () => (await ask(api.GET('/me/identities'))).identities,
}

// knowsPasskeys tells whether the browser reads what the server asks of authenticators.
export const knowsPasskeys = 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

type Credential = Schemas['PublicKeyCredential']

// answered is what the server takes of an authenticator; nothing where the person has turned back.
async function answered(asked: Promise<globalThis.Credential | null>, known: string): Promise<Credential | null> {
  try {
    const credential = await asked
    return credential instanceof PublicKeyCredential ? { ...credential.toJSON() } : null
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    if (error.name === 'InvalidStateError') throw new Refusal(0, 'passkey_known', known)
    if (error.name === 'NotAllowedError' || error.name === 'AbortError') return null
    throw new Refusal(0, 'passkey', error.message)
  }
}

// showPasskey asks for any passkey of this server.
export async function showPasskey(): Promise<Credential | null> {
  const { options } = await ask(api.POST('/session/passkey/challenge'))
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON)
  return answered(navigator.credentials.get({ publicKey }), '')
}

// makePasskey has an authenticator make one; known is said where it has one already.
export async function makePasskey(known: string): Promise<Credential | null> {
  const { options } = await ask(api.POST('/me/passkeys/challenge'))
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON)
  return answered(navigator.credentials.create({ publicKey }), known)
}

const place = 'crier.place'

// leaveFor goes to an issuer's page, and keeps which page the person came from.
export function leaveFor(url: string) {
  sessionStorage.setItem(place, window.location.pathname + window.location.search)
  window.location.assign(url)
}

// placeBefore is the page that the person was on before they went to an issuer's, once; undefined: none.
export function placeBefore(): string | undefined {
  const before = sessionStorage.getItem(place)
  sessionStorage.removeItem(place)
  return before && before !== '/' && !before.startsWith('/sign-in') ? before : undefined
}
