import { useState } from 'react'
import { api, ask, ownPath, Refusal, type Schemas } from '../../api/client'
import type { Item } from './writing'

export type Sending = { id: number; name: string; part: number; error?: string }

type Piece = { url: string; content: Blob }

// useUploads sends files, each with what of it has arrived, from 0 to 1.
export function useUploads(done: (item: Item) => void, say: (error: unknown) => string) {
  const [sending, setSending] = useState<Sending[]>([])
  const change = (id: number, next: Partial<Sending>) => setSending((all) => all.map((s) => (s.id === id ? { ...s, ...next } : s)))
  const drop = (id: number) => setSending((all) => all.filter((s) => s.id !== id))
  const send = async (file: File) => {
    const id = performance.now() + Math.random()
    setSending((all) => [...all, { id, name: file.name, part: 0 }])
    try {
      const mediaId = await upload(file, (part) => change(id, { part }))
      done({ mediaId, type: kindOf(file), name: file.name, altText: '' })
      drop(id)
    } catch (error) {
      change(id, { error: say(error) })
    }
  }
  return { sending, send, drop }
}

function kindOf(file: File): Item['type'] {
  if (file.type.startsWith('video/')) return 'video'
  return file.type === 'application/pdf' ? 'pdf' : 'image'
}

// upload sends a file to where the API says, in the parts that it names where it is large.
async function upload(file: File, progress: (part: number) => void): Promise<string> {
  const to = await ask(api.POST('/media/upload-url', { body: { fileName: file.name, size: file.size } }))
  const pieces: Piece[] = to.parts && to.parts.length > 1
    ? to.parts.map((p: Schemas['UploadPart']) => ({ url: p.uploadUrl, content: file.slice(p.offset, p.offset + p.size) }))
    : [{ url: to.uploadUrl, content: file }]
  let sent = 0
  for (const piece of pieces) {
    await put(piece, to, (bytes) => progress((sent + bytes) / file.size))
    sent += piece.content.size
  }
  if (pieces.length > 1) await ask(api.POST('/media/{id}/complete', { params: { path: { id: to.mediaId } } }))
  return to.mediaId
}

function put(piece: Piece, to: Schemas['MediaAddressAnswer'], progress: (bytes: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest() // fetch does not tell how much has been sent
    request.open(to.method, ownPath(piece.url))
    for (const [name, value] of Object.entries(to.headers)) request.setRequestHeader(name, String(value))
    request.upload.onprogress = (event) => progress(event.loaded)
    request.onerror = () => reject(new Error('the connection broke'))
    request.onload = () => (request.status < 300 ? resolve() : reject(refusalOf(request)))
    request.send(piece.content)
  })
}

function refusalOf(request: XMLHttpRequest): Refusal {
  try {
    const { error } = JSON.parse(request.responseText) as Schemas['Failure']
    return new Refusal(request.status, error.code, error.message, error.details)
  } catch {
    return new Refusal(request.status, 'unavailable', request.statusText)
  }
}
