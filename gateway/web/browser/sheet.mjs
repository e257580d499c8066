// Puts pictures of one page side by side, as docs/console.md shows them.
import { readFileSync } from 'node:fs'

// rows are what a sheet shows, each of one face: the wide picture and the narrow one at its height.
const rows = ['light', 'dark']

// sheet returns a WebP of the pictures that a folder has of a page, drawn by the browser: nothing else that
// encodes WebP is needed.
export async function sheet(page, file) {
  const sources = rows.map((face) => ['wide', 'narrow'].map((size) => `data:image/png;base64,${readFileSync(file(size, face), 'base64')}`))
  const bytes = await page.evaluate(async (rows) => {
    const read = async (source) => createImageBitmap(await (await fetch(source)).blob())
    const pictures = await Promise.all(rows.map((row) => Promise.all(row.map(read))))
    const height = 500
    const gap = 12
    const width = (picture) => Math.round((picture.width * height) / picture.height)
    const across = gap + pictures[0].reduce((sum, p) => sum + width(p) + gap, 0)
    const canvas = new OffscreenCanvas(across, gap + pictures.length * (height + gap))
    const context = canvas.getContext('2d')
    context.imageSmoothingQuality = 'high'
    context.fillStyle = '#8b8f9c'
    context.fillRect(0, 0, canvas.width, canvas.height)
    pictures.forEach((row, y) => row.reduce((x, p) => {
      context.drawImage(p, x, gap + y * (height + gap), width(p), height)
      return x + width(p) + gap
    }, gap))
    return [...new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.82 })).arrayBuffer())]
  }, sources)
  return Buffer.from(bytes)
}
