// Looks for what keeps people from using a page.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// violations are those of WCAG 2.2 AA on the page as it is, and whether it is too wide for its window.
export async function violations(page, where) {
  await page.evaluate(axe)
  const { violations: all } = await page.evaluate(() => globalThis.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }))
  const found = all.map((v) => `${where}: ${v.id}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ')}: ${v.nodes[0].any[0]?.message ?? v.help}`)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  return overflow > 0 ? [...found, `${where}: ${overflow} pixels too wide`] : found
}
