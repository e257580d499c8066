// Signing in by a passkey and at an issuer, as a person does it, in a browser with a virtual authenticator.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { browser, start } from './crier.mjs'
import { startIssuer } from './issuer.mjs'
import { faults, signOut, visit } from './person.mjs'

const folder = mkdtempSync(join(tmpdir(), 'crier-issuers-'))
const person = { sub: 'grace', email: 'grace@example.com', email_verified: true, name: 'Grace', groups: ['writers'] }
let issuer, crier, chromium, page
const said = [] // by the browser's console, that should not be

before(async () => {
  issuer = await startIssuer(person)
  const file = join(folder, 'issuers.yaml')
  writeFileSync(file, `- {name: acme, title: Acme, issuer: "${issuer.url}", client-id: crier, private: true, members: [{group: writers, workspace: demo, role: editor}]}`)
  ;[crier, chromium] = await Promise.all([start(['--issuers', file], 'localhost'), browser()])
  page = await visit(chromium, said)
  const devices = await page.context().newCDPSession(page)
  await devices.send('WebAuthn.enable')
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  })
})

after(async () => {
  await chromium?.close()
  await crier?.stop()
  issuer?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const see = (text) => page.getByText(text).first().waitFor()
const click = (name, role = 'button') => page.getByRole(role, { name }).first().click()

// choosePassword is how somebody gets one who has come by a link.
const choosePassword = (newPassword) => page.evaluate(async (body) => {
  const { session } = await (await fetch('/api/v1/session')).json()
  await fetch('/api/v1/me/password', { method: 'PATCH', headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': session.csrfToken }, body })
}, JSON.stringify({ newPassword }))

// tenMinutesPass has the next passkey refused as the server does it that long after a sign-in.
const tenMinutesPass = () => page.route('**/api/v1/me/passkeys/challenge', (route) => route.fulfill({
  status: 403,
  json: { success: false, error: { code: 'forbidden', message: 'this needs a proof', details: [{ field: 'session', code: 'proof_required', message: 'show who you are' }] } },
}), { times: 1 })

test('a passkey is added once its user has shown who they are, and signs in without a password', async () => {
  const password = 'a few words of hers'
  await page.goto(await crier.link('ada@example.com'))
  await click('Sign in')
  await page.getByRole('link', { name: 'Calendar' }).first().waitFor()
  await choosePassword(password)
  await page.goto(crier.url + '/you')
  await tenMinutesPass()
  await click('Add a passkey')
  const [adding, proof] = ['Add a passkey', 'Is it you?'].map((name) => page.getByRole('dialog', { name }))
  await adding.getByLabel('Name').fill('Laptop')
  await adding.getByRole('button', { name: 'Add a passkey' }).click()
  await proof.getByLabel('Current password').fill('not hers, in any case')
  await proof.getByRole('button', { name: 'Go on' }).click()
  await proof.getByText(/not the password that you have now/).waitFor()
  await proof.getByLabel('Current password').fill(password)
  await proof.getByRole('button', { name: 'Go on' }).click()
  await see('The passkey is added')
  await see('Laptop')
  await tenMinutesPass()
  await click('Add a passkey')
  await adding.getByRole('button', { name: 'Add a passkey' }).click()
  await proof.getByRole('button', { name: 'Use a passkey' }).click()
  await proof.getByText('This device has one of your passkeys already.').waitFor()
  await proof.getByRole('button', { name: 'Not now' }).click()
  await adding.getByRole('button', { name: 'Not now' }).click()
  await signOut(page)
  await click('Sign in with a passkey')
  await page.getByRole('link', { name: 'Calendar' }).first().waitFor()
  await page.goto(crier.url + '/you')
  await see(/by a passkey/)
})

test('an identity is linked, and signs in', async () => {
  await click('Link Acme')
  await see(/grace@example.com · linked/)
  await signOut(page)
  await click('Sign in with Acme')
  await page.getByRole('link', { name: 'Calendar' }).first().waitFor()
  await page.goto(crier.url + '/you')
  await see('ada@example.com') // by who they are there, not by the address
  await see(/by acme/)
  await click('Unlink')
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
  await page.getByRole('button', { name: 'Link Acme' }).waitFor()
})

test('somebody whose group is let in becomes a member, where they were', async () => {
  await signOut(page)
  await page.goto(crier.url + '/keys')
  await click('Sign in with Acme')
  await page.getByRole('heading', { name: 'API keys' }).first().waitFor()
  await page.goto(crier.url + '/you')
  await see('grace@example.com')
  assert.equal(await page.getByLabel('Current password').count(), 0) // she has none
  await tenMinutesPass()
  await click('Add a passkey')
  await page.getByRole('dialog', { name: 'Add a passkey' }).getByRole('button', { name: 'Add a passkey' }).click()
  const proof = page.getByRole('dialog', { name: 'Is it you?' })
  await proof.getByText('neither a password nor a passkey').waitFor()
  await proof.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('who is not let in is told why', async () => {
  person.groups = []
  person.sub = 'bob'
  await click('Sign in with Acme')
  await see('You are known, but no group of yours is let in here.')
})

for (const face of ['light', 'dark']) {
  test(`the way in passes axe, ${face}, wide and narrow`, async () => {
    await page.emulateMedia({ colorScheme: face })
    const found = []
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(crier.url + '/sign-in?refused=not_let_in')
      await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
      found.push(...(await faults(page, `the way in at ${width}`)))
    }
    assert.deepEqual(found, [])
  })
}

test('the browser had nothing to complain of', () => assert.deepEqual(said, []))
