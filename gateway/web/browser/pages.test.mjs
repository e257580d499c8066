// What the workspace is run with, as a person does it: brands, queues, media, people, keys, webhooks; what the
// console calls, against the API's description; each of these pages by axe; and the API's reference.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { described, operationOf, written } from './calls.mjs'
import { browser, start } from './crier.mjs'
import { faults, faultsOf, sees, signIn, visit } from './person.mjs'
import { picture } from './picture.mjs'
import { answersQuestions, fitsEverywhere, isReadByKeyboard } from './reference.mjs'
import { supply } from './supply.mjs'

let crier, chromium, page, receiver
const said = [] // by the browser's console, that should not be
const asked = new Map() // what was asked of the API, by method and address, with the status of its answer

const api = '/api/v1'

// visitor is a page whose requests are kept.
async function visitor() {
  const page = await visit(chromium, said)
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url())
    if (pathname.startsWith(api + '/') && !response.request().isNavigationRequest()) asked.set(`${response.request().method()} ${pathname.slice(api.length)}${search}`, response.status())
  })
  return page
}

before(async () => {
  ;[crier, chromium] = await Promise.all([start(['--allow-registration']), browser()])
  await supply(crier)
  page = await visitor()
  await signIn(page, crier, 'ada@example.com')
})

after(async () => {
  receiver?.close()
  await chromium?.close()
  await crier?.stop()
})

const see = (text, on = page) => on.getByText(text).first().waitFor()
const click = (name, role = 'button', on = page) => on.getByRole(role, { name, exact: typeof name === 'string' }).first().click()
const dialog = () => page.getByRole('dialog')
const go = (name) => page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click()

test('where a minute is full, a page waits for the next one, and says so', async () => {
  await page.route(`${crier.url}${api}/brands`, (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '2' } }), { times: 1 })
  await go('Brands')
  await see(/^Too many requests in this minute/)
  await see('Harbour Café')
  await page.getByText(/^Too many requests in this minute/).waitFor({ state: 'detached' })
})

test('a brand is made, and gets an account', async () => {
  await click('New brand')
  await dialog().getByLabel('Name').fill('North Shop')
  await click('Create the brand')
  const row = page.getByRole('listitem').filter({ hasText: 'North Shop' })
  await row.getByRole('button', { name: 'Accounts' }).click()
  await dialog().getByText('sandbox telegram').click()
  await click('Save')
  await row.getByText('sandbox telegram').waitFor()
})

test('a queue is made by keyboard, and shows its next places', async () => {
  await go('Queues')
  await click('New queue', 'link')
  await page.getByLabel('Name').fill('Evenings')
  await page.getByRole('button', { name: 'Add Monday, 07:00' }).focus()
  for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
  const slot = page.getByRole('button', { name: 'Tuesday, 08:00', exact: true })
  await slot.click()
  await dialog().getByLabel('Tuesday').fill('08:45')
  await click('Set')
  await page.getByRole('button', { name: 'Tuesday, 08:45', exact: true }).waitFor()
  await click('Create the queue')
  await page.getByRole('region', { name: 'Next free places' }).getByText(/^Tue .*, 08:45$/).first().waitFor()
})

test('a picture is dropped into the library, found, described, used and deleted', async () => {
  await go('Media')
  const content = picture(480, 360).toString('base64')
  const drop = await page.evaluateHandle((content) => {
    const files = new DataTransfer()
    files.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], 'winter-fair.png', { type: 'image/png' }))
    return files
  }, content)
  await page.locator('.library').dispatchEvent('drop', { dataTransfer: drop })
  await see('winter-fair.png is here')
  await page.getByRole('searchbox').fill('winter')
  await page.locator('.tile').nth(1).waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).searchParams.get('q'), 'winter')
  await page.locator('.tile').click()
  await dialog().getByLabel('Description').fill('Stalls in the snow')
  await click('Save')
  await see('The description is saved')
  const { media } = await crier.ask('GET', '/media')
  assert.equal(media[0].altText, 'Stalls in the snow')
  const { post } = await crier.ask('POST', '/posts', { content: 'The winter fair.', platforms: ['mastodon'], status: 'draft', mediaItems: [{ mediaId: media[0].id }] })
  await page.reload()
  await page.locator('.tile').click()
  await dialog().getByRole('link', { name: 'The winter fair.' }).waitFor()
  await crier.ask('DELETE', `/posts/${post.id}`)
  await click('Delete')
  await dialog().getByText('Its address stops working').waitFor()
  await click('Delete')
  await see('Nothing matches')
})

test('somebody is invited, joins by the link, gets another role and is removed', async () => {
  await go('People')
  await page.getByRole('button', { name: 'Invite somebody' }).press('Enter')
  await page.locator('input[type=email]:focus').waitFor()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
  await page.keyboard.press('Enter') // the focus is where it was
  await dialog().getByLabel('E-mail').fill('bob@example.com')
  await click('Make the link')
  const link = await dialog().locator('code').innerText()
  assert.match(link, /\/invitations\/accept#\S+$/)
  await click('Close', 'button', dialog())
  await page.getByRole('region', { name: 'Open invitations' }).getByText('bob@example.com').waitFor()

  const bobs = await visitor()
  await bobs.goto(link)
  await bobs.getByLabel('Name').fill('Bob')
  await bobs.getByLabel('New password').fill('a few words of his')
  await click('Join', 'button', bobs)
  await bobs.getByRole('heading', { name: 'Calendar' }).or(bobs.locator('.fc-cell')).first().waitFor()
  assert.equal(await bobs.getByRole('link', { name: 'People' }).count(), 0)
  await bobs.context().close()

  await page.reload()
  await page.getByLabel('Role of Bob').selectOption('viewer')
  await see('Bob is Viewer now')
  await click('Remove Bob')
  await dialog().getByRole('button', { name: 'Remove', exact: true }).click()
  await see('Bob is no member any more')
})

test('a key for one network is made, and rotated', async () => {
  await go('API keys')
  await click('New key')
  await dialog().getByLabel('Name').fill('Importer')
  await dialog().getByLabel('Networks').fill('203.0.113.0/24 2001:db8::/64')
  await dialog().getByLabel('Last day').fill('2099-12-31')
  await click('Create the key')
  await dialog().getByText(/^crier_test_/).waitFor()
  await click('Close', 'button', dialog())
  await see(/from 203\.0\.113\.0\/24, 2001:db8::\/64/)
  await click('More for Importer')
  await click('Rotate', 'menuitem')
  await dialog().getByLabel('The key before works on').selectOption('hour')
  await click('Rotate')
  await dialog().getByText(/^crier_test_/).waitFor()
  await click('Close', 'button', dialog())
  const networks = Array.from({ length: 12 }, (_, n) => `2001:db8:${n}:feed::/64`)
  await crier.ask('POST', '/keys', { name: 'The importer of the shop in the harbour of Bergen', permissions: ['read', 'write', 'admin'], test: true, networks, expiresAt: '2099-12-31T23:59:59Z' })
})

// suspend asks by a key until it is suspended for that.
async function suspend(secret) {
  const headers = { Authorization: `Bearer ${secret}` }
  for (let isSuspended = false; !isSuspended;) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${crier.url}${api}/brands`, { headers })))
    isSuspended = (await Promise.all(answers.map((a) => a.text()))).some((text) => text.includes('suspended'))
  }
}

test('a key that is suspended needs somebody, who ends it', async () => {
  const { key, ownerInvitation } = await (await fetch(`${crier.url}${api}/keys/register`, { method: 'POST', body: JSON.stringify({ email: 'edda@example.com', name: 'Acme' }) })).json()
  await suspend(key.secret)
  const eddas = await visitor()
  await eddas.goto(`${crier.url}/invitations/accept#${ownerInvitation.token}`)
  await eddas.getByLabel('Name').fill('Edda')
  await eddas.getByLabel('New password').fill('a few words of hers')
  await click('Join', 'button', eddas)
  await eddas.getByRole('link', { name: 'Needs you' }).first().click()
  await eddas.getByRole('region', { name: 'Suspended API keys' }).getByRole('button', { name: 'End the suspension' }).click()
  await see(/works again$/, eddas)
  await see('Nothing waits for you', eddas)
  await eddas.context().close()
})

test('a webhook is made, tried, and sends again', async () => {
  const received = []
  receiver = createServer((request, response) => {
    request.resume()
    received.push(request.headers['x-webhook-event'] ?? request.url)
    response.end('thanks')
  })
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  await go('Webhooks')
  await click('New webhook')
  await dialog().getByLabel('Address').fill(`http://127.0.0.1:${receiver.address().port}/hook`)
  await click('Create the webhook')
  await click('Close', 'button', dialog())
  await page.getByRole('link', { name: `:${receiver.address().port}/hook` }).click()
  await click('Send a test')
  await see(/it answered 200/)
  await crier.ask('POST', '/posts', { content: 'Open from seven.', platforms: ['mastodon'], publishNow: true })
  const delivery = page.getByRole('listitem').filter({ hasText: 'post.published' })
  await delivery.first().getByText(/answered 200/).waitFor()
  await delivery.first().getByRole('button', { name: 'Send again' }).click()
  await delivery.getByText('sent again').waitFor()
  await delivery.first().getByRole('button', { name: 'Body' }).click()
  await see(/"event": "post.published"/)
  assert.ok(received.length >= 3, `received ${received.length}`)
})

test('the audit log tells of it, by what is asked for, and as a file', async () => {
  await page.goto(`${crier.url}/audit`)
  await page.getByLabel('What', { exact: true }).selectOption('key')
  await see('rotated API key')
  assert.equal(new URL(page.url()).searchParams.get('action'), 'key')
  await page.getByLabel('Who', { exact: true }).selectOption({ label: 'Ada' })
  await see('rotated API key')
  assert.match(new URL(page.url()).searchParams.get('actor'), /^user_/)
  await page.getByLabel('Who', { exact: true }).selectOption({ label: 'Device' })
  await see('Nothing of the kind')
  await click('Show all')
  await click('Ada', 'link')
  await page.waitForURL(/actor=user_/)
  const [file] = await Promise.all([page.waitForEvent('download'), click('Export CSV')])
  assert.equal(file.suggestedFilename(), 'audit.csv')
  assert.match(readFileSync(await file.path(), 'utf8'), /key\.rotate/)
})

test('no file is of another workspace than the page shows', async () => {
  const { session } = await (await page.request.get(`${crier.url}${api}/session`)).json()
  const turn = (test) => page.request.patch(`${crier.url}${api}/session`, { headers: { 'X-CSRF-Token': session.csrfToken }, data: { test } })
  let files = 0
  page.on('download', () => files++)
  await turn(false) // as a tab does that this one does not hear of
  await click('Export JSON')
  await see('This session was switched to live in another tab.')
  assert.equal(files, 0)
  await turn(true)
})

test('which mail one gets is chosen, and an address changed where there is mail', async () => {
  await page.goto(`${crier.url}/you`)
  const failed = page.getByLabel('Posts that failed')
  const stored = page.waitForResponse((r) => r.url().endsWith('/me/mail') && r.request().method() === 'PATCH')
  await failed.uncheck()
  await stored
  await page.reload()
  assert.equal(await failed.isChecked(), false)
  await page.getByLabel('E-mail').fill('ada@example.org')
  await click('Change the address')
  await see(/sends no mail/)
})

const pages = ['/brands', '/queues', '/queues/new', '/media', '/people', '/audit', '/usage', '/events', '/keys', '/webhooks', '/accounts']

for (const face of ['light', 'dark']) {
  test(`each page passes axe, ${face}, wide and narrow`, async () => {
    const page = await sees(chromium, crier, face, said)
    const found = await faultsOf(page, crier.url, pages)
    await page.context().close()
    assert.deepEqual(found, [])
  })
}

for (const [what, look] of Object.entries({ 'finds what people ask for': answersQuestions, 'is read by keyboard': isReadByKeyboard, 'passes axe, wide and on a phone': fitsEverywhere })) {
  test(`the reference ${what}`, async () => {
    const page = await visit(chromium, said)
    await look(page, crier.url)
    await page.context().close()
  })
}

test('pages outside the console pass axe: the consent, the question, the choice, connected, a wall', async () => {
  const found = []
  const look = async (name) => {
    for (const width of [1440, 360]) {
      for (const colorScheme of ['light', 'dark']) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        found.push(...(await faults(page, `${name} at ${width}, ${colorScheme}`)))
      }
    }
  }
  const read = async (path) => (await page.request.get(crier.url + api + path)).json()
  await page.goto((await read('/connect/facebook')).authUrl)
  await look('consent')
  await click('Allow')
  await page.getByRole('heading', { name: 'Connect an account' }).waitFor()
  await look('question')
  await page.locator('.btn.main').click()
  await page.getByRole('heading', { name: 'Choose what to connect' }).waitFor()
  await look('choice')
  await page.getByRole('checkbox').first().check()
  await page.locator('.btn.main').click()
  await page.getByRole('heading', { name: 'Connected' }).waitFor()
  await look('connected')
  const { posts } = await read('/posts?status=posted&source=all')
  await page.goto(posts[0].platforms[0].postUrl.replace(/[^/]*$/, ''))
  await see('sandbox mastodon')
  await look('wall')
  assert.deepEqual(found, [])
})

// members are what no key does: it is about whoever is signed in, or about people.
const members = [
  'DELETE /invitations/{id}', 'DELETE /me/identities/{id}', 'DELETE /me/passkeys/{id}', 'DELETE /members/{id}', 'DELETE /session', 'DELETE /sessions/{id}',
  'GET /device/{userCode}', 'GET /invitations', 'GET /me/identities', 'GET /me/mail', 'GET /me/passkeys', 'GET /members', 'GET /session', 'GET /sessions',
  'PATCH /me/mail', 'PATCH /me/passkeys/{id}', 'PATCH /me/password', 'PATCH /members/{id}', 'PATCH /session', 'POST /device/{userCode}/approve', 'POST /device/{userCode}/deny',
  'POST /invitations', 'POST /me/email', 'POST /me/email/confirm', 'POST /me/identities', 'POST /me/passkeys', 'POST /me/passkeys/challenge', 'POST /session/proof',
]

// visitors are what those do who come.
const visitors = [
  'GET /session/providers', 'POST /invitations/accept', 'POST /session', 'POST /session/link', 'POST /session/passkey', 'POST /session/passkey/challenge',
  'POST /session/providers/{provider}', 'POST /session/reset',
]

test('each call of the console is described, and works with a key of the same rights', async () => {
  const operations = described(await (await fetch(`${crier.url}${api}/openapi.json`)).json())
  const calls = written()
  for (const call of asked.keys()) {
    const [method, path] = call.split(' ')
    if (path.startsWith('/files/') || path.startsWith('/uploads/')) continue // addresses that the API has given
    calls.add(operationOf(operations, method, path.split('?')[0]) ?? call)
  }
  assert.ok(calls.size > 40, `${calls.size} calls`)
  const isKeys = (call) => operations.get(call)?.ways.includes('bearerAuth')
  const others = [...calls].filter((call) => !isKeys(call)).sort()
  assert.deepEqual(others.filter((call) => !members.includes(call) && !visitors.includes(call)), [])

  const refused = []
  for (const [call, status] of asked) {
    const [method, path] = call.split(' ')
    const operation = operationOf(operations, method, path.split('?')[0])
    if (method !== 'GET' || status !== 200 || !isKeys(operation)) continue
    const answer = await fetch(`${crier.url}${api}${path}`, { headers: { Authorization: `Bearer ${crier.key}` } })
    if (answer.status !== 200 && answer.status !== 404) refused.push(`${call}: ${answer.status}`) // it may have been deleted since
  }
  assert.deepEqual(refused, [])
})

test('the browser had nothing to complain of', () => assert.deepEqual(said, []))
