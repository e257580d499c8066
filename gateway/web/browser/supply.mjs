// Fills a workspace with what posts are planned with: brands, queues and media.
import { deflateSync } from 'node:zlib'

// crc is that of PNG's chunks.
function crc(bytes) {
  let value = ~0
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0)
  }
  return ~value >>> 0
}

function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc(body))
  return Buffer.concat([length, body, sum])
}

// picture is a PNG that goes from one colour at its top to another at its bottom.
export function picture([r1, g1, b1], [r2, g2, b2], width = 480, height = 360) {
  const rows = []
  for (let y = 0; y < height; y++) {
    const mix = (a, b) => Math.round(a + ((b - a) * y) / height)
    rows.push(Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([mix(r1, r2), mix(g1, g2), mix(b1, b2)])))
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))])
}

const pictures = [
  ['harbour-at-sunrise.png', 'The harbour at sunrise', [250, 190, 120], [60, 90, 140]],
  ['rolls-on-a-tray.png', 'Rolls on a tray', [240, 220, 190], [150, 95, 50]],
  ['autumn-menu.png', '', [200, 90, 40], [90, 40, 30]],
  ['ida-bowls.png', 'Three bowls by Ida', [205, 215, 210], [70, 110, 120]],
  ['live-music.png', '', [60, 40, 110], [200, 70, 120]],
  ['sourdough.png', 'A loaf, cut open', [225, 200, 160], [120, 80, 45]],
]

// supply makes two brands with accounts, two queues and a library.
export async function supply(url, key) {
  const ask = async (method, path, body) => {
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const { accounts } = await ask('GET', '/accounts')
  for (const [name, platforms] of [['Harbour Café', ['mastodon', 'instagram', 'facebook']], ['Ida’s Studio', ['pinterest', 'threads']]]) {
    const { brand } = await ask('POST', '/brands', { name })
    for (const account of accounts.filter((a) => platforms.includes(a.platform))) await ask('PATCH', `/accounts/${account.id}`, { brandId: brand.id })
    await ask('POST', '/queues', { name: `${name}, mornings`, brandId: brand.id, timezone: 'Europe/Berlin', slots: [{ day: 'monday', time: '09:00' }, { day: 'wednesday', time: '09:30' }, { day: 'friday', time: '16:15' }] })
  }
  await ask('POST', '/queues', { name: 'Every day', timezone: 'Europe/Berlin', slots: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].flatMap((day) => [{ day, time: '08:30' }, { day, time: '12:00' }]) })
  for (const [fileName, altText, from, to] of pictures) await ask('POST', '/media', { data: picture(from, to).toString('base64'), mimeType: 'image/png', fileName, ...(altText ? { altText } : {}) })
}
