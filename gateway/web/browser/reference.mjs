// What people do in the API's reference: they search it, by keyboard and on a phone.
import assert from 'node:assert/strict'
import { faults } from './person.mjs'

// questions are what somebody types, and an address below /docs that has to be among the first three found.
const questions = {
  'how do I retry safely': '#about-idempotency',
  'what is the limit of images on instagram': '#about-getPlatform',
  'how long may a tweet be': '#about-getPlatform',
  'verify a webhook': '#about-webhooks',
  'Retry-After': '#about-rate-limits',
  'how do I upload a large video': '#about-uploadMedia',
  'why did my post fail': '/posts#listPostAttempts',
  'delete a post': '/posts#deletePost',
  'rotate an API key': '/keys#rotateKey',
  'which hours are best to post': '/analytics#getBestTimes',
  'what does outcome_unknown mean': '/errors/outcome_unknown',
  'youtube title': '/objects#schema-YoutubeSettings.title',
  'test without publishing': '#about-sandbox',
}

const search = (page) => page.getByRole('combobox', { name: 'Search' })
const found = (page) => page.getByRole('listbox', { name: 'Found' })
const selected = (page) => found(page).locator('[aria-selected=true]')

// searchFor returns the addresses that a question finds, below /docs.
async function searchFor(page, question) {
  await search(page).fill('')
  await search(page).fill(question)
  await found(page).waitFor()
  const addresses = await found(page).getByRole('option').evaluateAll((links) => links.map((link) => link.href))
  return addresses.map((address) => address.slice(address.indexOf('/docs') + '/docs'.length))
}

export async function answersQuestions(page, url) {
  await page.goto(url + '/docs')
  for (const [question, address] of Object.entries(questions)) {
    const addresses = await searchFor(page, question)
    assert.ok(addresses.slice(0, 3).includes(address), `${question}: ${addresses.slice(0, 3)}, without ${address}`)
  }
  await search(page).fill('zzzz')
  await found(page).getByText('Nothing is found.').waitFor()
}

export async function isReadByKeyboard(page, url) {
  await page.goto(url + '/docs/posts')
  await page.keyboard.press('/')
  await page.keyboard.type('verify a webhook')
  await selected(page).getByText('Webhooks: verify a signature').waitFor()
  const options = await found(page).getByRole('option').count()
  for (const [key, at] of [['ArrowDown', 1], ['ArrowUp', 0], ['ArrowUp', options - 1], ['ArrowDown', 0]]) {
    await page.keyboard.press(key)
    assert.equal(await selected(page).getAttribute('id'), `found-${at}`, key)
    assert.equal(await search(page).getAttribute('aria-activedescendant'), `found-${at}`)
  }
  await page.keyboard.press('Escape')
  await found(page).waitFor({ state: 'hidden' })
  assert.equal(await search(page).evaluate((input) => input === document.activeElement), false)
  await page.keyboard.press('/')
  await page.keyboard.type('verify a webhook')
  await selected(page).getByText('Webhooks: verify a signature').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(url + '/docs#about-webhooks')
  await page.getByRole('heading', { name: 'Webhooks: verify a signature' }).waitFor()
}

// fitsEverywhere looks at pages, wide and light, and on a phone, dark, with what was found over them.
export async function fitsEverywhere(page, url) {
  const problems = []
  for (const path of ['/docs', '/docs/media']) {
    await page.goto(url + path)
    await searchFor(page, 'media')
    for (const [width, colorScheme] of [[1440, 'light'], [360, 'dark']]) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      const { x, width: taken } = await found(page).boundingBox()
      if (x < 0 || x + taken > width) problems.push(`${path} at ${width}: what is found is out of sight`)
      problems.push(...(await faults(page, `${path} at ${width}, ${colorScheme}`)))
    }
  }
  await page.reload()
  const pages = page.getByRole('navigation', { name: 'Pages' })
  assert.equal(await pages.getByRole('link', { name: 'Posts', exact: true }).isVisible(), false)
  await pages.getByText('Pages').click()
  await pages.getByRole('link', { name: 'Posts', exact: true }).click()
  await page.waitForURL(url + '/docs/posts')
  assert.deepEqual(problems, [])
}
