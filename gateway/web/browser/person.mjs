// What tests of the console do and look at as a person does.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// watch keeps what the browser's console says that it should not.
export function watch(page, said) {
  page.setDefaultTimeout(60_000) // the machine may be busy
  page.on('pageerror', (error) => said.push(error.message))
  page.on('console', (message) => message.text().includes('Content Security Policy') && said.push(message.text()))
}

// signIn goes in by a link, into test mode.
export async function signIn(page, crier, email = 'grace@example.com') {
  await page.goto(await crier.link(email))
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

// sees is the page of somebody whose system is light or dark. Each has requests of their own, of which a quick machine
// needs more in a minute than one person may send.
export async function sees(chromium, crier, colorScheme, said) {
  const page = await (await chromium.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', colorScheme, reducedMotion: 'reduce' })).newPage()
  watch(page, said)
  await signIn(page, crier, `${colorScheme}@example.com`)
  return page
}

// picture is a PNG, drawn by the browser.
export async function picture(page, width, height) {
  const bytes = await page.evaluate(async ([w, h]) => {
    const canvas = new OffscreenCanvas(w, h)
    const context = canvas.getContext('2d')
    context.fillStyle = '#4453d6'
    context.fillRect(0, 0, w, h)
    return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())]
  }, [width, height])
  return Buffer.from(bytes)
}

// faults are what of a page, or of a part of it, is against WCAG 2.2 AA, by axe, and how far it can be scrolled sideways.
// What is only fading in has no contrast yet.
export async function faults(page, where, part = 'html') {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().filter((a) => a.effect.getTiming().iterations !== Infinity).map((a) => a.finished)))
  await page.evaluate(axe)
  const { violations } = await page.evaluate((of) => globalThis.axe.run(of, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }), part)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  return [
    ...violations.map((v) => `${where}: ${v.id}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ')}: ${v.nodes[0].any[0]?.message ?? v.help}`),
    ...(overflow > 0 ? [`${where}: ${overflow} pixels too wide`] : []),
  ]
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
