// Fills a workspace with what posts are planned with: brands, queues and media.
import { picture } from './picture.mjs'

const pictures = [
  ['harbour-at-sunrise.png', 'The harbour at sunrise', [250, 190, 120], [60, 90, 140]],
  ['rolls-on-a-tray.png', 'Rolls on a tray', [240, 220, 190], [150, 95, 50]],
  ['autumn-menu.png', '', [200, 90, 40], [90, 40, 30]],
  ['ida-bowls.png', 'Three bowls by Ida', [205, 215, 210], [70, 110, 120]],
  ['live-music.png', '', [60, 40, 110], [200, 70, 120]],
  ['sourdough.png', 'A loaf, cut open', [225, 200, 160], [120, 80, 45]],
]

// supply makes two brands with accounts, of which one is paused, queues, and a library of which a draft uses something.
export async function supply({ ask }) {
  const { accounts } = await ask('GET', '/accounts')
  for (const [name, platforms, time] of [['Harbour Café', ['mastodon', 'instagram', 'facebook'], '09:00'], ['Ida’s Studio', ['pinterest', 'threads'], '10:30']]) {
    const { brand } = await ask('POST', '/brands', { name })
    for (const account of accounts.filter((a) => platforms.includes(a.platform))) await ask('PATCH', `/accounts/${account.id}`, { brandId: brand.id })
    await ask('POST', '/queues', { name: `${name}, mornings`, brandId: brand.id, timezone: 'Europe/Berlin', slots: ['monday', 'wednesday', 'friday'].map((day) => ({ day, time })) })
  }
  await ask('POST', `/accounts/${accounts.find((a) => a.platform === 'pinterest').id}/pause`, { reason: 'The kiln is broken, until Monday' })
  await ask('POST', '/queues', { name: 'Every day', timezone: 'Europe/Berlin', slots: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].flatMap((day) => [{ day, time: '12:00' }, { day, time: '18:00' }]) })
  const uploads = []
  for (const [fileName, altText, from, to] of pictures) uploads.push((await ask('POST', '/media', { data: picture(480, 360, from, to).toString('base64'), mimeType: 'image/png', fileName, ...(altText ? { altText } : {}) })).media)
  await ask('POST', '/posts', { content: 'Good morning from the harbour.', platforms: ['mastodon', 'telegram'], status: 'draft', mediaItems: [{ mediaId: uploads[0].id }] })
}
