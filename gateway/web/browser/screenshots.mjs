// Makes pictures of every page, wide and narrow, light and dark, and a sheet of each into a folder:
// npm run screenshots -- FOLDER [NAMES]. PICTURES names a folder for the single pictures.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { browser, start } from './crier.mjs'
import { fill } from './demo.mjs'
import { begin, signIn, visit } from './person.mjs'
import { sheet } from './sheet.mjs'
import { supply } from './supply.mjs'
import { ahead, writing } from './writing.shots.mjs'

const folder = process.argv[2] ?? 'screenshots'
const only = process.argv[3]?.split(',')
const pictures = process.env.PICTURES ?? mkdtempSync(join(tmpdir(), 'crier-pictures-'))
for (const path of [folder, pictures]) mkdirSync(path, { recursive: true })

const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 360, height: 740 } }

// pages are shown by what leads to them, and named by the folder and the file of their sheet.
const pages = {
  'posts/calendar': (page, url) => page.goto(`${url}/calendar?view=month&date=${ahead(10)}`),
  'posts/week': (page, url) => page.goto(`${url}/calendar?view=week&date=${ahead(7)}`),
  'posts/list': (page, url) => page.goto(url + '/calendar?view=list'),
  'posts/drafts': (page, url) => page.goto(url + '/drafts'),
  'posts/needs': async (page, url) => {
    await page.goto(url + '/needs')
    await page.getByRole('button', { name: 'Retry' }).nth(1).waitFor() // what fails takes a moment
  },
  'posts/post': async (page, url) => {
    await pages['posts/needs'](page, url)
    await page.locator('a[href^="/posts/"]', { hasText: 'Half of the team' }).click()
    await page.locator('.top').getByRole('button', { name: 'Retry' }).waitFor()
    await page.locator('.story li').first().waitFor()
  },
  'posts/retry': async (page, url) => {
    await pages['posts/post'](page, url)
    await page.locator('.top').getByRole('button', { name: 'Retry' }).click()
  },
  'compose/new': async (page, url) => {
    await begin(page, url, 'Mastodon', 'Bluesky', 'Instagram')
    await page.locator('.writing').fill('The harbour café opens at seven. Come early, the rolls are warm.\n\nhttps://example.com/menu #bakery')
    await page.locator('.findings li').first().waitFor()
  },
  'accounts/accounts': async (page, url) => {
    await page.goto(url + '/accounts')
    await page.locator('.pill').first().waitFor()
  },
  'accounts/pause': async (page, url) => {
    await page.goto(url + '/accounts')
    await page.getByRole('button', { name: /^More for/ }).first().click()
    await page.getByRole('menuitem', { name: 'Pause' }).click()
    await page.getByRole('dialog').getByLabel('Reason, if you like').fill('The brand says nothing today')
  },
  'accounts/connect': async (page, url) => {
    await page.goto(url + '/accounts')
    await page.locator('.top .btn.main').click()
    await page.locator('.ways').waitFor()
  },
  'plan/brands': (page, url) => page.goto(url + '/brands'),
  'plan/queues': (page, url) => page.goto(url + '/queues'),
  'plan/queue': async (page, url) => {
    await page.goto(url + '/queues')
    await page.locator('a[href^="/queues/queue_"]').last().click()
    await page.locator('.week .slot').first().waitFor()
  },
  'plan/media': async (page, url) => {
    await page.goto(url + '/media')
    await page.locator('.tile').first().waitFor()
  },
  'plan/file': async (page, url) => {
    await pages['plan/media'](page, url)
    await page.locator('.tile').last().click()
    await page.locator('.large').waitFor()
  },
  'people/people': async (page, url) => {
    await page.goto(url + '/people')
    await page.locator('.list li').first().waitFor()
  },
  'people/invite': async (page, url) => {
    await pages['people/people'](page, url)
    await page.locator('.top .btn.main').click()
    await page.getByRole('dialog').waitFor()
  },
  'people/audit': async (page, url) => {
    await page.goto(url + '/audit')
    await page.locator('.list li').first().waitFor()
  },
  'people/usage': async (page, url) => {
    await page.goto(url + '/usage')
    await page.locator('.table').waitFor()
  },
  'developers/events': async (page, url) => {
    await page.goto(url + '/events')
    await page.locator('.list li').first().waitFor()
  },
  'developers/webhooks': (page, url) => page.goto(url + '/webhooks'),
  'developers/webhook': async (page, url) => {
    await page.goto(url + '/webhooks')
    await page.locator('a[href^="/webhooks/"]').first().click()
    await page.locator('.list li').first().waitFor()
  },
  'developers/keys': (page, url) => page.goto(url + '/keys'),
  'developers/new-key': async (page, url) => {
    await page.goto(url + '/keys')
    await page.locator('.top .btn.main').click()
    await page.getByRole('dialog').waitFor()
  },
  'people/you': (page, url) => page.goto(url + '/you'),
  'accounts/consent': async (page, url) => {
    await page.goto(await linkTo(page, url, 'facebook'))
    await page.locator('[name=crier_answer]').first().waitFor()
  },
  'accounts/connecting': async (page, url) => {
    await pages['accounts/consent'](page, url)
    await page.locator('[name=crier_answer][value=allow]').click()
    await page.waitForURL(/\/callback/)
  },
  'accounts/choosing': async (page, url) => {
    await pages['accounts/connecting'](page, url)
    await page.locator('.btn.main').click()
    await page.locator('.entities').waitFor()
  },
  'accounts/connected': async (page, url) => {
    await pages['accounts/choosing'](page, url)
    await page.locator('[name=entity]').first().check()
    await page.locator('.btn.main').click()
    await page.getByRole('heading', { name: 'Connected' }).waitFor()
  },
  'accounts/wall': async (page, url) => {
    await page.goto(url + '/needs')
    await page.locator('a[href^="/posts/"]').first().waitFor()
    const { posts } = await (await page.request.get(`${url}/api/v1/posts?status=posted&source=all`)).json()
    await page.goto(posts[0].platforms[0].postUrl.replace(/[^/]*$/, ''))
  },
  'posts/palette': async (page, url) => {
    await page.goto(`${url}/calendar?view=month&date=${ahead(10)}`)
    await page.locator('.fc-cell').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.locator('.palette').fill('harbour')
    await page.locator('.choices .state').first().waitFor()
  },
}

Object.assign(pages, writing)

// linkTo is where an account of a platform is connected.
async function linkTo(page, url, platform) {
  return (await (await page.request.get(`${url}/api/v1/connect/${platform}`)).json()).authUrl
}

// picture keeps a page as it is, by day and by night.
async function picture(page, name, size) {
  for (const face of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: face })
    await page.screenshot({ path: join(pictures, `${name}-${size}-${face}.png`) })
  }
}

// show makes the pictures of a page, and the sheet of them.
async function show(visitors, url, name, lead) {
  for (const [size, page] of Object.entries(visitors)) {
    await lead(page, url)
    await page.mouse.move(0, 0) // what is below it looks as it does while it is pointed at
    await page.waitForLoadState('networkidle')
    await page.locator('.skeleton, .toast').first().waitFor({ state: 'detached' })
    await picture(page, name, size)
  }
  const blank = await chromium.newPage()
  const path = join(folder, `${name}.webp`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, await sheet(blank, (size, face) => join(pictures, `${name}-${size}-${face}.png`)))
  await blank.close()
}

const [crier, chromium] = await Promise.all([start(), browser()])
try {
  await fill(crier)
  await supply(crier)
  await crier.link('jonas@example.com', 'Jonas', 'editor')
  // Each size has a person of its own: one may not send as many requests in a minute as all pages need.
  const visitors = { wide: await visit(chromium, [], { viewport: sizes.wide }), narrow: await visit(chromium, [], { viewport: sizes.narrow }) }
  for (const page of Object.values(visitors)) {
    page.on('console', (m) => m.type() === 'error' && console.error('console:', m.text()))
    page.on('pageerror', (e) => console.error('page:', e.message))
  }
  if (!only) {
    await show(visitors, crier.url, 'people/sign-in', async (page, url) => {
      await page.goto(url + '/')
      await page.locator('form').waitFor()
    })
    await show(visitors, crier.url, 'people/invitation', async (page, url) => {
      await page.goto('about:blank')
      await page.goto(url + '/invitations/accept#token')
      await page.locator('form').waitFor()
    })
  }
  await signIn(visitors.wide, crier, 'ada@example.com')
  await signIn(visitors.narrow, crier, 'grace@example.com', 'Grace')
  for (const [name, lead] of Object.entries(pages)) {
    if (!only || only.includes(name)) await show(visitors, crier.url, name, lead)
  }
} finally {
  await chromium.close()
  await crier.stop()
  if (!process.env.PICTURES) rmSync(pictures, { recursive: true })
}
