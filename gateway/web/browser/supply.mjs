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

// supply makes two brands with accounts, two queues and a library.
export async function supply({ ask }) {
  const { accounts } = await ask('GET', '/accounts')
  for (const [name, platforms] of [['Harbour Café', ['mastodon', 'instagram', 'facebook']], ['Ida’s Studio', ['pinterest', 'threads']]]) {
    const { brand } = await ask('POST', '/brands', { name })
    for (const account of accounts.filter((a) => platforms.includes(a.platform))) await ask('PATCH', `/accounts/${account.id}`, { brandId: brand.id })
    await ask('POST', '/queues', { name: `${name}, mornings`, brandId: brand.id, timezone: 'Europe/Berlin', slots: [{ day: 'monday', time: '09:00' }, { day: 'wednesday', time: '09:30' }, { day: 'friday', time: '16:15' }] })
  }
  await ask('POST', '/queues', { name: 'Every day', timezone: 'Europe/Berlin', slots: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].flatMap((day) => [{ day, time: '08:30' }, { day, time: '12:00' }]) })
  for (const [fileName, altText, from, to] of pictures) await ask('POST', '/media', { data: picture(480, 360, from, to).toString('base64'), mimeType: 'image/png', fileName, ...(altText ? { altText } : {}) })
}
