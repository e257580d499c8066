// What becomes of drafts and scheduled posts: finished at once or in a queue, their story, and what is put aside.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browser, start } from './crier.mjs'
import { begin, faults, signIn, visit } from './person.mjs'

let crier, chromium, page
const said = [] // by the browser's console, that should not be

before(async () => {
  ;[crier, chromium] = await Promise.all([start(), browser()])
  page = await visit(chromium, said)
  await signIn(page, crier)
})

after(async () => {
  await chromium?.close()
  await crier?.stop()
})

const see = (text) => page.getByText(text).first().waitFor()
const click = (name, on = page) => on.getByRole('button', { name, exact: true }).first().click()

const draftOf = async (content) => (await crier.ask('POST', '/posts', { content, platforms: ['mastodon'], status: 'draft' })).post
const tomorrow = () => new Date(Date.now() + 864e5).toISOString()

test('a draft needs an account, and what is written stays until it has one', async () => {
  await begin(page, crier.url)
  await page.locator('.writing').fill('Without an account')
  await click('Draft')
  await see('Pick an account to keep this as a draft.')
  assert.equal(await page.getByRole('button', { name: 'Keep as a draft' }).isDisabled(), true)
  await page.reload()
  assert.equal(await page.locator('.writing').inputValue(), 'Without an account')
})

// written leads to where a post is written, and returns its text.
const written = async (path) => {
  await page.goto(`${crier.url}/compose${path}`)
  return page.locator('.writing').inputValue()
}

test('what is changed of a post outlives a reload, until it is begun afresh or the post is another', async () => {
  const draft = await draftOf('Rolls from seven')
  await written(`?edit=${draft.id}`)
  await page.locator('.writing').fill('Rolls from eight')
  await page.reload()
  await see('What you changed here before is still here, and not saved yet.')
  assert.equal(await page.locator('.writing').inputValue(), 'Rolls from eight')
  await click('Start afresh')
  assert.equal(await written(`?edit=${draft.id}`), 'Rolls from seven')
  await page.locator('.writing').fill('Rolls from nine')
  await crier.ask('PATCH', `/posts/${draft.id}`, { content: 'Closed' })
  assert.equal(await written(`?edit=${draft.id}`), 'Closed')
})

test('a new post takes the time that is clicked at, and stays beside a copy', async () => {
  const draft = await draftOf('A recipe')
  await begin(page, crier.url, 'Mastodon')
  await page.locator('.writing').fill('Half a sentence')
  const time = page.getByLabel('Time', { exact: true })
  for (const hour of ['09:00', '11:30']) {
    assert.equal(await written(`?at=2099-01-05T${hour}:00%2B01:00`), 'Half a sentence')
    assert.equal(await time.inputValue(), `2099-01-05T${hour}`)
  }
  await time.fill('2099-01-06T10:00')
  await page.reload()
  assert.equal(await time.inputValue(), '2099-01-06T10:00')
  assert.equal(await written(`?copy=${draft.id}`), 'A recipe')
  assert.equal(await written(''), 'Half a sentence')
  await time.fill('')
  await see('Choose a time.')
  assert.equal(await page.getByRole('button', { name: 'Schedule', exact: true }).isDisabled(), true)
})

test('who has no queue is led to where one is made', async () => {
  await begin(page, crier.url, 'Mastodon')
  await click('Queue')
  await see('There is no queue yet.')
  await page.getByRole('main').getByRole('link', { name: 'Queues' }).click()
  await page.getByRole('heading', { name: 'Queues', exact: true }).waitFor()
})

test('a draft is finished at once', async () => {
  const draft = await draftOf('Fresh from the oven')
  await page.goto(`${crier.url}/compose?edit=${draft.id}`)
  await page.locator('.writing').fill('Fresh from the oven, at seven')
  await click('Now')
  await click('Publish now')
  await see('The post is on its way')
  await see('Published on Mastodon')
  const { post } = await crier.ask('GET', `/posts/${draft.id}`)
  assert.deepEqual([post.status, post.content], ['posted', 'Fresh from the oven, at seven'])
})

test('a draft is finished in the next place of a queue, and leaves it for a time', async () => {
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const { queue } = await crier.ask('POST', '/queues', { name: 'Mornings', timezone: 'Europe/Berlin', slots: days.map((day) => ({ day, time: '08:30' })) })
  const { slots: [next] } = await crier.ask('GET', `/queues/${queue.id}/slots`)
  const draft = await draftOf('In line')
  await page.goto(`${crier.url}/compose?edit=${draft.id}`)
  await click('Queue')
  await see(/^Its next free place is/)
  await click('Add to the queue')
  await see('The post has its place in the queue')
  const { post } = await crier.ask('GET', `/posts/${draft.id}`)
  assert.deepEqual([post.status, post.scheduledFor, post.queueId], ['scheduled', next, queue.id])

  await page.goto(`${crier.url}/compose?edit=${draft.id}`)
  await page.locator('.writing').fill('In line still')
  await click('Save')
  await see('The post is changed')
  const { post: changed } = await crier.ask('GET', `/posts/${draft.id}`)
  assert.deepEqual([changed.content, changed.scheduledFor, changed.queueId], ['In line still', next, queue.id])
})

test('a draft gets the place that its page has named', async () => {
  const { queues: [queue] } = await crier.ask('GET', '/queues')
  const { slots: [next] } = await crier.ask('GET', `/queues/${queue.id}/slots`)
  const draft = await draftOf('In line by itself')
  await page.goto(`${crier.url}/posts/${draft.id}`)
  await click('Add to the queue')
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^It goes out .+ by the queue Mornings\.$/).waitFor()
  assert.equal((await crier.ask('GET', `/posts/${draft.id}`)).post.status, 'draft')
  await click('Add to the queue', dialog)
  await see('The post has its place in the queue')
  const { post } = await crier.ask('GET', `/posts/${draft.id}`)
  assert.deepEqual([post.status, post.scheduledFor], ['scheduled', next])
})

test('the story goes on once a scheduled post is published now', async () => {
  const { post } = await crier.ask('POST', '/posts', { content: 'Sooner than planned', platforms: ['mastodon'], scheduledFor: tomorrow() })
  const asked = [] // in the order of their answers: what was read, and the status of the post
  page.on('response', async (response) => {
    const path = new URL(response.url()).pathname.split(`/api/v1/posts/${post.id}`)[1]
    if (response.request().method() !== 'GET' || path === undefined) return
    const at = asked.push('story') - 1
    if (path === '') asked[at] = (await response.json()).post.status
  })
  await page.goto(`${crier.url}/posts/${post.id}`)
  await see(/^Goes out /)
  await click('Publish now')
  await click('Publish now', page.getByRole('dialog'))
  await see('The post is on its way')
  await see('Published on Mastodon')
  // By itself the story is read as rarely as the post: that it changed has it read at once, and once more.
  const since = (what) => asked.slice(asked.indexOf('posted') + 1).filter((one) => one === what).length
  while (!asked.includes('posted') || since('story') < 2) await page.waitForResponse((response) => response.url().includes(post.id))
  assert.equal(since('posted'), 0, asked.join(' '))
  page.removeAllListeners('response')
})

test('a post that waits for a pause is not said to go out', async () => {
  const { accounts: [account] } = await crier.ask('GET', '/accounts?platform=linkedin')
  const { post } = await crier.ask('POST', '/posts', { content: 'Not today', platforms: ['linkedin'], scheduledFor: tomorrow() })
  await page.goto(`${crier.url}/posts/${post.id}`)
  await see(/^Goes out /)
  await crier.ask('POST', `/accounts/${account.id}/pause`, {})
  await page.reload()
  await see(/^Due .+, and waits$/)
})

test('what is left as it is can be dismissed, and brought back', async () => {
  for (const n of [1, 2]) await crier.ask('POST', '/posts', { content: `Opening hours ${n} [crier:refused]`, platforms: ['mastodon'], publishNow: true })
  await page.goto(`${crier.url}/needs`)
  const failed = page.getByRole('region', { name: 'Failed posts of the last 14 days' })
  await failed.getByText('Opening hours 2').waitFor()
  await failed.getByText('Opening hours 1').waitFor()
  assert.match(await page.title(), /^\(2\)/)
  await failed.getByRole('button', { name: /^Dismiss Opening hours 1/ }).click()
  await see(/^Dismissed: Opening hours 1/)
  await failed.getByText('Opening hours 1').waitFor({ state: 'detached' })
  await page.reload()
  await failed.getByText('Opening hours 2').waitFor()
  assert.equal(await failed.getByText('Opening hours 1').count(), 0)
  assert.match(await page.title(), /^\(1\)/)
  await click('Show 1 dismissed')
  const found = await faults(page, 'what is dismissed')
  await click('Bring back')
  await failed.getByText('Opening hours 1').waitFor()
  assert.deepEqual(found, [])
})

test('on a phone the other pages are behind the bar below', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(`${crier.url}/calendar`)
  await page.getByRole('navigation').getByRole('button', { name: 'More' }).click()
  const found = await faults(page, 'the other pages')
  await page.getByRole('menuitem', { name: 'Queues' }).click()
  await page.getByRole('heading', { name: 'Queues', exact: true }).waitFor()
  assert.deepEqual(found, [])
})

test('one’s own page is behind one’s own name', async () => {
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${crier.url}/calendar`)
    await page.getByRole('button', { name: 'You: Ada' }).click()
    const found = await faults(page, `one's menu at ${width}`)
    await page.getByRole('menuitem', { name: 'Profile, sessions, passkeys' }).click()
    await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor()
    assert.deepEqual(found, [])
  }
})

test('in German, settings, changes and failures are said in German', async () => {
  const german = await visit(chromium, said, { locale: 'de-DE' })
  await signIn(german, crier, 'greta@example.com', 'Greta')
  await begin(german, crier.url, 'TikTok')
  const settings = german.getByRole('region', { name: /Einstellungen/ })
  await settings.getByLabel(/^Wer es sehen darf/).first().selectOption('Nur ich')
  await german.goto(`${crier.url}/needs`)
  await german.getByText('Die Plattform hat ihn abgelehnt.').first().waitFor()
  await german.goto(`${crier.url}/audit`)
  await german.getByText('Greta').first().waitFor()
  await german.context().close()
})

test('the browser had nothing to complain of', () => assert.deepEqual(said, []))
