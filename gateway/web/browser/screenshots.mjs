// Makes pictures of every page, wide and narrow, light and dark, into a folder: npm run screenshots -- FOLDER.
// CRIER_URL and CRIER_LINK name a crier that runs already and a link to sign in with; without them one is
// started and filled.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { browser, start } from './crier.mjs'
import { fill } from './demo.mjs'

const folder = process.argv[2] ?? 'screenshots'
const only = process.argv[3]
mkdirSync(folder, { recursive: true })

const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 360, height: 740 } }

// pages are shown by what leads to them.
const pages = {
  calendar: (page, url) => page.goto(url + '/calendar?view=month'),
  week: (page, url) => page.goto(url + '/calendar?view=week'),
  list: (page, url) => page.goto(url + '/calendar?view=list'),
  drafts: (page, url) => page.goto(url + '/drafts'),
  needs: (page, url) => page.goto(url + '/needs'),
  post: async (page, url) => {
    await page.goto(url + '/needs')
    await page.locator('a[href^="/posts/"]').first().click()
    await page.locator('.story li').first().waitFor()
  },
  retry: async (page, url) => {
    await pages.post(page, url)
    await page.locator('.top .btn.main').click()
  },
  compose: async (page, url) => {
    await page.goto(url + '/compose')
    await page.locator('.pick').first().waitFor()
    await page.evaluate(() => Object.keys(localStorage).filter((k) => k.startsWith('crier.writing')).forEach((k) => localStorage.removeItem(k)))
    await page.reload()
    for (const name of ['Mastodon', 'Bluesky', 'Instagram']) await page.locator('.pick', { hasText: name }).first().click()
    await page.locator('.writing').fill('The harbour café opens at seven. Come early, the rolls are warm.\n\nhttps://example.com/menu #bakery')
    await page.locator('.findings li').first().waitFor()
  },
  accounts: async (page, url) => {
    await page.goto(url + '/accounts')
    await page.locator('.pill').first().waitFor()
  },
  connect: async (page, url) => {
    await page.goto(url + '/accounts')
    await page.locator('.top .btn.main').click()
    await page.locator('.ways').waitFor()
  },
  webhooks: (page, url) => page.goto(url + '/webhooks'),
  webhook: async (page, url) => {
    await page.goto(url + '/webhooks')
    await page.locator('a[href^="/webhooks/"]').first().click()
    await page.locator('.list li').first().waitFor()
  },
  keys: (page, url) => page.goto(url + '/keys'),
  you: (page, url) => page.goto(url + '/you'),
  palette: async (page, url) => {
    await page.goto(url + '/calendar?view=month')
    await page.locator('.fc-cell').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.locator('.palette').fill('harbour')
    await page.locator('.choices .state').first().waitFor()
  },
}

const crier = process.env.CRIER_URL ? { url: process.env.CRIER_URL, link: async () => process.env.CRIER_LINK, stop: async () => undefined } : await start()
const chromium = await browser()
try {
  if (crier.key) await fill(crier.url, crier.key)
  const context = await chromium.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin' })
  const page = await context.newPage()
  page.on('console', (m) => m.type() === 'error' && console.error('console:', m.text()))
  page.on('pageerror', (e) => console.error('page:', e.message))
  await page.setViewportSize(sizes.wide)
  await page.goto(crier.url + '/')
  await page.locator('form').waitFor()
  if (!only) await page.screenshot({ path: join(folder, 'sign-in-wide-light.png') })
  await page.goto(await crier.link('ada@example.com'))
  await page.locator('button.main').click()
  await page.locator('.shell').waitFor()
  if (!(await page.locator('.testing').isVisible())) await page.locator('.mode').click()
  await page.locator('.testing').waitFor()
  for (const [name, show] of Object.entries(pages)) {
    if (only && !only.split(',').includes(name)) continue
    for (const [size, viewport] of Object.entries(sizes)) {
      for (const face of ['light', 'dark']) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme: face })
        await show(page, crier.url)
        await page.waitForLoadState('networkidle')
        await page.screenshot({ path: join(folder, `${name}-${size}-${face}.png`) })
      }
    }
  }
} finally {
  await chromium.close()
  await crier.stop()
}
