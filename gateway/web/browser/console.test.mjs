// The main way through the console, as a person goes it, and every page by axe.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browser, start } from './crier.mjs'
import { fill } from './demo.mjs'
import { begin, faultsOf, sees, signOut, visit } from './person.mjs'
import { picture } from './picture.mjs'

// connected is how simulators call people.
const connected = /user\d+/

let crier, chromium, page
const said = [] // by the browser's console, that should not be

before(async () => {
  ;[crier, chromium] = await Promise.all([start(), browser()])
  await fill(crier)
  page = await visit(chromium, said)
})

after(async () => {
  await chromium?.close()
  await crier?.stop()
})

// see waits for words on the page.
const see = (text) => page.getByText(text).first().waitFor()
const click = (name, role = 'button') => page.getByRole(role, { name }).first().click()

const tomorrow = () => new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10)

// drag moves what a week has at a time down.
async function drag(time) {
  const chip = page.locator('.ev', { hasText: time }).first()
  await chip.scrollIntoViewIfNeeded() // the week is shown from about now on
  const box = await chip.boundingBox()
  await page.mouse.move(box.x + 20, box.y + 8)
  await page.mouse.down()
  await page.mouse.move(box.x + 20, box.y + 40, { steps: 5 })
  await page.mouse.move(box.x + 20, box.y + 80, { steps: 5 })
  await page.mouse.up()
}

test('a link signs in', async () => {
  await page.goto(crier.url)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goto(await crier.link('ada@example.com'))
  await click('Sign in')
  await page.getByRole('link', { name: 'Calendar' }).first().waitFor()
  assert.equal(new URL(page.url()).pathname, '/calendar')
})

test('the first load is at most 250 KiB', async () => {
  await page.goto(crier.url + '/calendar')
  await page.locator('.fc-cell').first().waitFor()
  const bytes = await page.evaluate(() => performance.getEntriesByType('resource').filter((e) => e.name.includes('/assets/')).reduce((sum, e) => sum + e.encodedBodySize, 0))
  assert.ok(bytes > 100 * 1024 && bytes <= 250 * 1024, `${Math.round(bytes / 1024)} KiB`)
})

test('test mode leaves no doubt', async () => {
  await click(/Switch to test mode/)
  await see('Test mode: only simulated accounts get anything.')
})

test('tabs follow each other, and nothing goes where its page does not show', async () => {
  const { posts } = await crier.ask('GET', '/posts?limit=1')
  await page.goto(`${crier.url}/posts/${posts[0].id}`)
  await see('What happened')
  const other = await page.context().newPage()
  await other.goto(crier.url + '/brands')
  await other.getByText('Test mode').first().waitFor()
  await other.getByRole('button', { name: /Switch to live/ }).first().click()
  await other.locator('.testing').waitFor({ state: 'detached' })
  await see('This session was switched to live in another tab.')
  await page.locator('.testing').waitFor({ state: 'detached' })
  await page.waitForURL('**/calendar') // the post is not there
  await other.close()
  await click(/Switch to test mode/)
  await page.locator('.testing').waitFor()

  await page.goto(crier.url + '/brands')
  await click('New brand')
  await page.getByRole('dialog').getByLabel('Name').fill('stray')
  const { request } = page.context()
  const read = async (path) => (await request.get(crier.url + '/api/v1' + path)).json()
  let sent = 0
  await page.route('**/api/v1/brands', async (route) => { // the session is turned while the request is on its way
    if (route.request().method() !== 'POST') return route.continue()
    sent++
    const { session } = await read('/session')
    await request.patch(crier.url + '/api/v1/session', { headers: { 'X-CSRF-Token': session.csrfToken }, data: { test: false } })
    return route.continue()
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Create the brand' }).click()
  await see('This session was switched to live in another tab.')
  assert.equal(sent, 1)
  assert.deepEqual((await read('/brands')).brands.filter((b) => b.name === 'stray'), [])
  await page.unroute('**/api/v1/brands')
  await click(/Switch to test mode/)
  await page.locator('.testing').waitFor()
})

test('two accounts are connected through consent', async () => {
  for (const platform of ['Mastodon', 'X']) {
    await click('Accounts', 'link')
    await click('Connect an account')
    const dialog = page.getByRole('dialog')
    const [consent] = await Promise.all([page.waitForEvent('popup'), dialog.getByRole('button', { name: `${platform} ${platform}`, exact: true }).click()])
    await consent.locator('[name=crier_name]').fill('harbour-cafe')
    await consent.locator('[name=crier_answer][value=allow]').click()
    await consent.waitForURL(/\/connect\//)
    await consent.locator('button').first().click()
    await consent.getByText('Connected').first().waitFor()
    await consent.close()
    await see('The account is connected')
    await page.getByRole('listitem').filter({ hasText: connected }).filter({ has: page.getByRole('img', { name: platform, exact: true }) }).waitFor()
  }
})

test('a post with a picture is written, and judged meanwhile', async () => {
  await click('New post', 'link')
  const accounts = page.getByRole('region', { name: 'Where to' })
  const mine = accounts.locator('label').filter({ hasText: connected })
  for (const i of [0, 1]) await mine.nth(i).click()
  await accounts.getByText('Instagram').click()
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Fresh rolls from seven.')
  await see('instagram needs media')
  await page.locator('input[type=file]').setInputFiles({ name: 'rolls.png', mimeType: 'image/png', buffer: picture(64, 64) })
  await page.getByRole('textbox', { name: 'Describe it for those who do not see it' }).fill('Rolls on a tray')
  await accounts.getByText('Instagram').click()
  await page.reload() // and is kept
  assert.equal(await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue(), 'Fresh rolls from seven.')
  await page.getByLabel('Time', { exact: true }).fill(`${tomorrow()}T10:07`)
  await click('Schedule')
  await see('The post is scheduled')
  await see('Scheduled')
})

test('an account is paused by keyboard, its post says why it waits, and it goes on', async () => {
  const post = page.url() // where scheduling has led
  await click('Accounts', 'link')
  const row = page.getByRole('listitem').filter({ hasText: connected }).filter({ has: page.getByRole('img', { name: 'Mastodon', exact: true }) })
  const more = row.getByRole('button', { name: /^More for/ })
  await more.press('Enter')
  await page.getByRole('menuitem', { name: 'Rename' }).press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.waitForFunction((name) => document.activeElement.getAttribute('aria-label') === name, await more.getAttribute('aria-label'))
  await more.press('Enter')
  await page.getByRole('menuitem', { name: 'Pause' }).press('Enter')
  await page.getByRole('dialog').getByLabel('Reason, if you like').fill('the ovens are cold')
  await page.keyboard.press('Enter')
  await row.getByText(/^Paused since .+ by a member: the ovens are cold$/).waitFor()
  await page.goto(post)
  await see('A member has paused this account: the ovens are cold')
  await begin(page, crier.url)
  await page.locator('.pick').filter({ has: page.getByRole('img', { name: 'Paused' }) }).click()
  await see(/is paused by a member: the ovens are cold/)
  await see(/The post waits until it is resumed/)
  await page.goto(`${crier.url}/calendar?view=week&date=${tomorrow()}`)
  await drag('10:07')
  await see(/Moved to .+ It will wait, as these are paused: \w+/)
  await click('Undo')
  await page.locator('.ev', { hasText: '10:07' }).first().waitFor()
  await click('Accounts', 'link')
  await row.getByRole('button', { name: /^Resume/ }).press('Enter')
  await see(/goes on: what waited for it goes out/)
  await row.getByText(/^Paused/).first().waitFor({ state: 'detached' })
})

test('no retry is offered while the post waits elsewhere, and what it waits for is resumed', async () => {
  const { accounts } = await crier.ask('GET', '/accounts?platform=mastodon')
  const paused = accounts.find((a) => a.name === 'sandbox mastodon')
  await crier.ask('POST', `/accounts/${paused.id}/pause`, {})
  const { post } = await crier.ask('POST', '/posts', { content: 'The oven is cold. [crier:refused]', platforms: [{ platform: 'mastodon', accountId: paused.id }, 'bluesky'], publishNow: true })
  await page.goto(`${crier.url}/posts/${post.id}`)
  await see('Failed on Bluesky for good')
  assert.equal(await page.locator('.top').getByRole('button', { name: 'Retry' }).count(), 0)
  await page.goto(crier.url + '/needs')
  await page.getByRole('listitem').filter({ hasText: 'The oven is cold' }).getByRole('button', { name: 'Resume' }).click()
  await see(/goes on: what waited for it goes out/)
})

test('it is on the calendar, and is dragged to another time, and back', async () => {
  await page.goto(`${crier.url}/calendar?view=week&date=${tomorrow()}`)
  const chip = page.locator('.ev', { hasText: '10:07' }).first()
  await chip.waitFor()
  // axe sees to it only where two lie side by side, which depends on the hour.
  for (const height of await page.locator('.ev-col').evaluateAll((all) => all.map((e) => e.getBoundingClientRect().height))) assert.ok(height >= 24, `${height} px`)
  await drag('10:07')
  await see(/Moved to/)
  await chip.waitFor({ state: 'detached' })
  await click('Undo')
  await page.locator('.ev', { hasText: '10:07' }).first().waitFor()
})

test('a copy is published, and its story is told', async () => {
  await page.locator('.ev', { hasText: '10:07' }).first().click()
  await click('Copy', 'link')
  await click('Now')
  await click('Publish now')
  await see('The post is on its way')
  await see('Published on Mastodon')
  await see('Published on X')
})

test('what fails asks for a person, and says what a retry does', async () => {
  await click('Needs you', 'link')
  await see('Posts whose outcome is not known')
  await page.getByRole('listitem').filter({ hasText: 'Half of the team' }).getByRole('button', { name: 'Retry' }).click()
  await see('It is left out: it may be there already, and there is no way to look.')
  await page.getByLabel(/I accept that it may be there twice/).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
  await see('Trying again on 1 platform')
  const rows = await page.getByRole('listitem').filter({ hasText: 'Half of the team' }).allTextContents()
  assert.ok(rows.length <= 1, rows.join(' / '))
  assert.match(await page.title(), /^\(\d+\) Needs you · crier$/)
})

test('a device gets its key by its code', async () => {
  const post = async (path, fields) => (await fetch(`${crier.url}/api/v1/device/${path}`, { method: 'POST', body: new URLSearchParams(fields) })).json()
  const asked = await post('code', { client_id: 'crier', device_name: 'crier on ada-laptop', scope: 'read' })
  await page.goto(asked.verification_uri)
  await page.getByLabel('Code').fill(asked.user_code.toLowerCase())
  await click('Look it up')
  await see('crier on ada-laptop')
  await see(asked.user_code)
  await click('Give it the key')
  await see('The device gets its key')
  const given = await post('token', { client_id: 'crier', device_code: asked.device_code, grant_type: 'urn:ietf:params:oauth:grant-type:device_code' })
  assert.match(given.access_token, /^crier_test_/)
})

const pages = ['/calendar?view=month', '/calendar?view=week', '/calendar?view=list', '/drafts', '/needs', '/compose', '/you', '/device', '/nowhere']

for (const face of ['light', 'dark']) {
  test(`every page passes axe, ${face}, wide and narrow`, async () => {
    const page = await sees(chromium, crier, face, said)
    const found = await faultsOf(page, crier.url, pages)
    await page.context().close()
    assert.deepEqual(found, [])
  })
}

test('a page that could not be read leaves the others, and is asked for again', async () => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(crier.url + '/drafts')
  await page.route('**/assets/UsagePage*', (route) => route.abort())
  await click('Usage and plan', 'link')
  await see('This page could not be shown')
  await page.getByRole('link', { name: 'Calendar' }).first().waitFor()
  await page.unroute('**/assets/UsagePage*')
  await click('Try again')
  await page.getByRole('heading', { name: 'Usage and plan' }).waitFor()
})

test('what is sent after the session has ended leads to the way in', async () => {
  await page.goto(crier.url + '/brands')
  await click('New brand')
  await page.getByRole('dialog').getByLabel('Name').fill('Late')
  const kept = await page.context().cookies()
  await page.route(/\/api\/v1\/(?!brands|session$)/, (route) => route.abort()) // nothing else notices
  await page.context().clearCookies()
  await page.getByRole('dialog').getByRole('button', { name: 'Create the brand' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.unrouteAll()
  await page.context().addCookies(kept)
})

test('signing out leads back to the way in', async () => {
  await page.goto(crier.url + '/you')
  await signOut(page)
})

test('the browser had nothing to complain of', () => assert.deepEqual(said, []))
