// Makes pictures, which nothing else that is needed here does.
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

// picture is a PNG of a size that goes from one colour at its top to another at its bottom.
export function picture(width, height, [r1, g1, b1] = [68, 83, 214], [r2, g2, b2] = [20, 30, 90]) {
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
