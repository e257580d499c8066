// Writing, the calendar and a post's story: by keyboard alone, on a phone, and where something goes wrong.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browser, start } from './crier.mjs'
import { begin, faults, pick, signIn, tabTo, visit } from './person.mjs'
import { picture } from './picture.mjs'

let crier, chromium, page
const said = [] // by the browser's console, that should not be

before(async () => {
  ;[crier, chromium] = await Promise.all([start(), browser()])
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  await crier.ask('POST', '/queues', { name: 'Mornings', timezone: 'Europe/Berlin', slots: days.map((day) => ({ day, time: '08:30' })) })
  page = await visit(chromium, said)
  await signIn(page, crier)
})

after(async () => {
  await chromium?.close()
  await crier?.stop()
})

const see = (text) => page.getByText(text).first().waitFor()
const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key) }

test('a thread with a poll is written, moved in order and published by keyboard alone', async () => {
  await page.goto(crier.url + '/compose')
  await page.locator('.pick').first().waitFor()
  await page.evaluate(() => document.activeElement.blur())
  await tabTo(page, 'input[type=checkbox]', 'Bluesky')
  await press('Space')
  await tabTo(page, 'input[type=checkbox]', 'Mastodon')
  await press('Space')
  await tabTo(page, 'textarea.writing')
  await page.keyboard.type('The beginning')
  await tabTo(page, 'button', 'Make it a thread')
  await press('Enter')
  await page.keyboard.type('The end') // a new post is written at once
  await tabTo(page, 'button', 'Move post 2 up')
  await press('Enter')
  assert.equal(await page.locator('.writing').first().inputValue(), 'The end')
  await tabTo(page, 'button', 'Move post 1 down')
  await press('Enter')
  await tabTo(page, 'summary', 'Mastodon')
  await press('Enter')
  await tabTo(page, 'input[type=checkbox]', 'Poll')
  await press('Space')
  await tabTo(page, 'input', 'Options 1')
  await page.keyboard.type('Bread')
  await tabTo(page, 'input', 'Options 2')
  await page.keyboard.type('Rolls')
  await see('this setting is required')
  await tabTo(page, 'input', 'Open for')
  await page.keyboard.type('3600')
  await tabTo(page, 'button', 'Now')
  await press('Enter')
  await page.locator('.btn.main:not(:disabled)', { hasText: 'Publish now' }).waitFor()
  await tabTo(page, 'button', 'Publish now')
  await press('Enter')
  await see('Published on Mastodon (post 2)')
  await see('Published on Bluesky (post 2)')
})

test('what a platform has to be told is asked for where it is missing', async () => {
  await begin(page, crier.url, 'TikTok', 'YouTube')
  const settings = page.getByRole('region', { name: 'Settings by platform' })
  await settings.getByText('this setting is required').first().waitFor()
  await settings.getByLabel(/^Who may see it · needed/).selectOption('Self only')
  await settings.getByLabel(/^Title/).fill('Rolls, from flour to oven')
  await settings.getByText('this setting is required').first().waitFor({ state: 'detached' })
  const sent = page.waitForRequest((r) => r.url().endsWith('/posts/validate') && r.postData().includes('unlisted'))
  await settings.getByRole('combobox', { name: 'Who may see it' }).nth(1).selectOption('Unlisted')
  assert.deepEqual(JSON.parse((await sent).postData()).platformSettings, { tiktok: { privacy: 'SELF_ONLY' }, youtube: { title: 'Rolls, from flour to oven', privacyStatus: 'unlisted' } })
})

test('an upload is tried again, another is stopped, and fit is offered where it cures', async () => {
  await begin(page, crier.url, 'Instagram')
  const files = page.locator('input[type=file]')
  const file = (name, buffer) => ({ name, mimeType: 'image/png', buffer })
  await page.route('**/uploads/**', (route) => route.abort())
  await files.setInputFiles([file('wide.png', picture(1200, 300)), file('other.png', picture(64, 64))])
  const failed = page.locator('.attached > li').filter({ hasText: 'Try again' })
  await failed.nth(1).waitFor()
  await page.unroute('**/uploads/**')
  await page.getByRole('button', { name: 'Stop sending other.png' }).click()
  await failed.first().getByRole('button', { name: 'Try again' }).click()
  await see('instagram takes an aspect ratio')
  await page.getByRole('group', { name: 'Make it fit' }).getByText('All of it, with bars').click()
  await page.locator('.attached .note.bad').first().waitFor({ state: 'detached' })
  assert.equal(await page.locator('.attached > li').count(), 1)
})

test('an empty place of a queue is filled from the calendar', async () => {
  await page.goto(crier.url + '/calendar?view=list')
  const free = page.locator('.ev-free')
  const next = await free.first().innerText()
  await free.first().click()
  await see(/Its next free place is/)
  await pick(page, 'Telegram')
  await page.locator('.writing').fill('Good morning')
  await page.getByRole('button', { name: 'Add to the queue' }).click()
  await see('The post has its place in the queue')
  await page.goto(crier.url + '/calendar?view=list')
  await page.locator('.ev', { hasText: 'Good morning' }).waitFor()
  assert.match(next, /08:30/)
})

test('filters are in the address', async () => {
  await page.goto(crier.url + '/calendar?view=list')
  await page.getByLabel('Platform', { exact: true }).selectOption('Telegram')
  await page.getByLabel('State').selectOption('Scheduled')
  await page.waitForURL(/platform=telegram.*status=scheduled/)
  await page.waitForFunction(() => document.querySelectorAll('.ev').length === 1) // what is looked for has no free places
  await page.goto(crier.url + '/calendar?view=list&q=nothing-of-this')
  await see('Nothing matches')
})

test('a day that is full is refused in the words of the API, and the post goes back', async () => {
  const wednesday = new Date(Date.now() + 2 * 864e5)
  while (wednesday.getUTCDay() !== 3) wednesday.setUTCDate(wednesday.getUTCDate() + 1)
  const at = (day, hour, minute = 0) => new Date(Date.UTC(wednesday.getUTCFullYear(), wednesday.getUTCMonth(), wednesday.getUTCDate() + day, hour, minute)).toISOString()
  const { platforms } = await crier.ask('GET', '/platforms')
  const { postsPerDay } = platforms.find((p) => p.platform === 'telegram')
  for (let made = 0; made < postsPerDay; made += 25) {
    await crier.ask('POST', '/posts/bulk', { posts: Array.from({ length: Math.min(25, postsPerDay - made) }, (_, i) => ({ content: `Full ${made + i}`, platforms: ['telegram'], scheduledFor: at(0, 18, (made + i) % 60) })) })
  }
  const { post } = await crier.ask('POST', '/posts', { content: 'Early bird', platforms: ['telegram'], scheduledFor: at(-1, 9) })
  await page.goto(`${crier.url}/calendar?view=week&date=${post.scheduledFor.slice(0, 10)}`)
  const chip = page.locator('.ev', { hasText: 'Early bird' })
  await chip.scrollIntoViewIfNeeded()
  const { x, y, width } = await chip.boundingBox()
  await page.mouse.move(x + width / 2, y + 8)
  await page.mouse.down()
  await page.mouse.move(x + width * 1.5, y + 12, { steps: 8 })
  await page.mouse.up()
  await see(/crier publishes at most/)
  const { post: now } = await crier.ask('GET', `/posts/${post.id}`)
  assert.equal(now.scheduledFor, post.scheduledFor)
})

test('a thread gets another time and a comment, and its posts stay', async () => {
  const { thread } = await crier.ask('POST', '/threads', { posts: [{ content: 'Two days' }, { content: 'of dough' }], platforms: ['mastodon'], scheduledFor: new Date(Date.now() + 2 * 864e5).toISOString() })
  await page.goto(`${crier.url}/compose?edit=${thread.postId}`)
  await see('The posts of a thread stay as they are')
  assert.equal(await page.locator('.writing').first().getAttribute('readonly'), '')
  const day = new Date(Date.now() + 4 * 864e5).toISOString().slice(0, 10)
  await page.getByLabel('Time', { exact: true }).fill(`${day}T11:20`)
  await page.getByRole('button', { name: 'First comment' }).first().click()
  await page.getByRole('textbox', { name: 'First comment 1' }).fill('The recipe')
  await page.getByRole('button', { name: 'Save' }).click()
  await see('The post is changed')
  const { thread: now } = await crier.ask('GET', `/threads/${thread.id}`)
  assert.equal(now.scheduledFor.slice(0, 10), day)
  assert.deepEqual([now.posts.map((p) => p.content), now.firstComments.map((c) => c.text)], [['Two days', 'of dough'], ['The recipe']])
})

test('the whole way at 360 pixels: written with a picture, published, failed, retried, copied', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await begin(page, crier.url, 'Mastodon', 'Telegram')
  await page.locator('.writing').fill('Half of the team is away [crier:lost-answer]')
  await page.locator('input[type=file]').setInputFiles({ name: 'rolls.png', mimeType: 'image/png', buffer: picture(64, 64) })
  await page.getByRole('textbox', { name: 'Describe it for those who do not see it' }).fill('Rolls')
  const found = await faults(page, 'writing at 360')
  await page.getByRole('button', { name: 'Now', exact: true }).click()
  await page.getByRole('button', { name: 'Publish now' }).click()
  await see(/got no answer/)
  await page.getByRole('button', { name: 'Retry' }).click()
  await see('It is left out: it may be there already, and there is no way to look.')
  await page.getByRole('dialog').getByRole('checkbox').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
  await see('Somebody asked to try again')
  found.push(...(await faults(page, 'the story at 360')))
  await page.getByRole('link', { name: 'Copy' }).click()
  await page.getByRole('heading', { name: 'New post' }).waitFor()
  assert.match(await page.locator('.writing').inputValue(), /Half of the team/)
  await page.locator('.bar.below').getByRole('link', { name: 'Calendar' }).click()
  await page.locator('.ev').first().waitFor()
  found.push(...(await faults(page, 'the calendar at 360')))
  assert.deepEqual(found, [])
})

for (const face of ['light', 'dark']) {
  test(`a thread with all settings open, and each platform's preview, pass axe, ${face}`, async () => {
    const found = []
    await page.emulateMedia({ colorScheme: face })
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 })
      await begin(page, crier.url)
      for (const label of await page.locator('.pick').all()) await label.click()
      await page.locator('.writing').fill('https://example.com #bakery')
      await page.getByRole('button', { name: 'First comment' }).click()
      await page.getByRole('button', { name: 'Make it a thread' }).click()
      await page.evaluate(() => document.querySelectorAll('.settings details').forEach((d) => { d.open = true }))
      for (const part of await page.locator('.setting.part > legend input').all()) await part.check()
      for (const voice of await page.locator('.voices > button').all()) {
        await voice.click()
        found.push(...(await faults(page, await voice.getAttribute('title'), '.preview'))) // the rest stays the same
      }
      found.push(...(await faults(page, `writing at ${width}`)))
    }
    assert.deepEqual(found, [])
  })
}

test('the browser had nothing to complain of', () => assert.deepEqual(said, []))
