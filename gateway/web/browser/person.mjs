// What tests of the console do and look at as a person does.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// visit is a page of somebody in Berlin who reads English, and has come with more settings; said gets what the browser's
// console says that it should not.
export async function visit(chromium, said, settings = {}) {
  const page = await (await chromium.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', viewport: { width: 1440, height: 900 }, ...settings })).newPage()
  page.setDefaultTimeout(60_000) // the machine may be busy
  page.on('pageerror', (error) => said.push(error.message))
  page.on('console', (message) => message.text().includes('Content Security Policy') && said.push(message.text()))
  return page
}

// signIn goes in by a link, into test mode.
export async function signIn(page, crier, email = 'grace@example.com', name = 'Ada') {
  await page.goto(await crier.link(email, name))
  await page.locator('button.main').click()
  await page.locator('.shell').waitFor()
  if (await page.locator('.testing').isVisible()) return
  await page.evaluate(async () => {
    const { session } = await (await fetch('/api/v1/session')).json()
    await fetch('/api/v1/session', { method: 'PATCH', headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': session.csrfToken }, body: JSON.stringify({ test: true }) })
  })
  await page.reload()
  await page.locator('.testing').waitFor()
}

// signOut goes out by one's own menu.
export async function signOut(page) {
  await page.getByRole('button', { name: /^You: / }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

// sees is the page of somebody with a long name whose system is light or dark. Each has requests of their own, of which a quick machine
// needs more in a minute than one person may send.
export async function sees(chromium, crier, colorScheme, said) {
  const page = await visit(chromium, said, { colorScheme })
  await signIn(page, crier, `${colorScheme}@example.com`, 'Ada King, Countess of Lovelace')
  return page
}

// begin has a post begun for platforms, of which nothing was written before.
export async function begin(page, url, ...platforms) {
  await page.goto(url + '/compose')
  await page.locator('.pick').first().waitFor()
  await page.evaluate(() => Object.keys(localStorage).filter((k) => k.startsWith('crier.writing')).forEach((k) => localStorage.removeItem(k)))
  await page.reload()
  await page.locator('.pick').first().waitFor()
  for (const platform of platforms) await pick(page, platform)
}

// pick has the post go to an account of a platform.
export const pick = (page, platform) => page.locator('.pick').filter({ has: page.getByRole('img', { name: platform, exact: true }) }).first().click()

// faults are what of a page, or of a part of it, is against WCAG 2.2 AA, by axe, and how far it can be scrolled sideways.
// Nothing on the page moves from then on: what is only fading in has no contrast yet, and a toast may come at any time.
export async function faults(page, where, part = 'html') {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(axe)
  const { violations } = await page.evaluate((of) => globalThis.axe.run(of, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }), part)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  return [
    ...violations.map((v) => `${where}: ${v.id}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ')}: ${v.nodes[0].any[0]?.message ?? v.help}`),
    ...(overflow > 0 ? [`${where}: ${overflow} pixels too wide`] : []),
  ]
}

// faultsOf are the faults of pages, wide and narrow, for somebody whose system is light or dark.
export async function faultsOf(page, url, paths) {
  const found = []
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 800 })
    for (const path of paths) {
      await page.goto(url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' })
      found.push(...(await faults(page, `${path} at ${width}`)))
    }
  }
  return found
}

// tabTo presses Tab until something that matches is reached, as somebody without a mouse does.
export async function tabTo(page, selector, text = '') {
  for (let pressed = 0; pressed < 200; pressed++) {
    await page.keyboard.press('Tab')
    const isThere = await page.evaluate(([of, what]) => {
      const at = document.activeElement
      const name = at?.getAttribute('aria-label') ?? at?.labels?.[0]?.textContent ?? at?.textContent ?? ''
      return Boolean(at?.matches(of)) && name.includes(what)
    }, [selector, text])
    if (isThere) return
  }
  throw new Error(`Tab does not lead to ${selector} ${text}`)
}
