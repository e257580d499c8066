// Pictures of the composer, the calendar's other views and a thread's story.
import { begin } from './person.mjs'
import { picture } from './picture.mjs'

// ahead is a day from today on, as addresses have it.
export const ahead = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const attach = async (page) => {
  await page.locator('input[type=file]').setInputFiles({ name: 'rolls.png', mimeType: 'image/png', buffer: picture(1200, 500) })
  await page.locator('.attached .thumb img').waitFor()
}

// atTop scrolls to something, below what stays at the top.
const atTop = (locator) => locator.evaluate((it) => {
  it.scrollIntoView()
  window.scrollBy(0, -12 - document.querySelector('.stays').offsetHeight)
})

const preview = async (page, platform) => {
  await page.locator(`.voices > [title^="${platform}"]`).click()
  await page.locator('.preview img, .preview .frame, .preview video').first().waitFor()
}

export const writing = {
  'posts/day': (page, url) => page.goto(`${url}/calendar?view=day&date=${ahead(2)}`),
  'compose/picture': async (page, url) => {
    await begin(page, url, 'Instagram', 'Facebook', 'Pinterest')
    await page.locator('.writing').fill('Warm from the oven at seven. #bakery')
    await attach(page)
    await page.locator('.attached .note').first().waitFor()
    await preview(page, 'Instagram')
    await page.locator('.attached .note').first().scrollIntoViewIfNeeded()
  },
  'compose/settings': async (page, url) => {
    await begin(page, url, 'YouTube', 'TikTok')
    await page.locator('.writing').fill('Two minutes in the bakery, from flour to roll.')
    await page.locator('.settings .note.bad').first().waitFor()
    await atTop(page.locator('.settings'))
  },
  'compose/thread': async (page, url) => {
    await begin(page, url, 'Mastodon', 'Bluesky', 'Threads')
    await page.locator('.writing').fill('Our bread takes two days. Here is why.')
    for (const text of ['Day one: the dough rests, cold, for twenty hours.', 'Day two: shaped by hand, baked at five.']) {
      await page.locator('.grow-thread').click()
      await page.locator('.writing').last().fill(text)
    }
    await page.locator('.counters .pill').first().waitFor()
  },
  'compose/queue': async (page, url) => {
    await begin(page, url, 'Telegram')
    await page.locator('.writing').fill('Open on Sunday, too.')
    await page.locator('.whens > button').nth(2).click()
    await page.locator('.whens').scrollIntoViewIfNeeded()
    await page.getByText('free place').first().waitFor()
  },
  'posts/thread': async (page, url) => {
    await page.goto(url + '/calendar?view=list')
    await page.locator('.ev', { hasText: 'Our bread takes two days' }).first().click()
    await page.locator('.story li').nth(5).waitFor()
  },
}
