// An issuer of OpenID Connect at which one person is signed in already, who is let in by a group.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

// startIssuer returns its address, and what ends it.
export async function startIssuer(person) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const codes = new Map()
  let url
  const token = (asked) => {
    const now = Math.floor(Date.now() / 1000)
    const text = `${encode({ alg: 'ES256', kid: 'one' })}.${encode({ iss: url, aud: asked.get('client_id'), nonce: asked.get('nonce'), iat: now, exp: now + 300, ...person })}`
    return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
  const pages = {
    '/.well-known/openid-configuration': () => ({
      issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token`, jwks_uri: `${url}/keys`, id_token_signing_alg_values_supported: ['ES256'],
    }),
    '/keys': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }] }),
    '/token': (form) => {
      const asked = codes.get(form.get('code'))
      codes.delete(form.get('code'))
      const isTheirs = asked && createHash('sha256').update(form.get('code_verifier')).digest('base64url') === asked.get('code_challenge')
      return isTheirs ? { access_token: 'access', token_type: 'Bearer', id_token: token(asked) } : { error: 'invalid_grant' }
    },
  }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, url)
    if (pathname === '/authorize') {
      const code = encode(String(Math.random()))
      codes.set(code, searchParams)
      response.writeHead(302, { location: `${searchParams.get('redirect_uri')}?${new URLSearchParams({ code, state: searchParams.get('state') })}` }).end()
      return
    }
    let body = ''
    for await (const chunk of request) body += chunk
    const answer = pages[pathname]?.(new URLSearchParams(body))
    response.writeHead(answer ? (answer.error ? 400 : 200) : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${server.address().port}`
  return { url, stop: () => server.close() }
}
