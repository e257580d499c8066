import { useEffect, useRef, useState, type DragEvent } from 'react'
import { api, ask, ownPath, Refusal, words, type Schemas } from '../api/client'
import { useWords } from '../words'
import { randomId } from './random'

// Upload is a file that has arrived.
export type Upload = { mediaId: string; type: 'image' | 'video' | 'pdf'; name: string }

export type Sending = { id: string; name: string; part: number; error?: string } // part: what has arrived, from 0 to 1

export type Uploads = ReturnType<typeof useUploads>

type Piece = { url: string; content: Blob; isSent: boolean }
type Address = Pick<Schemas['MediaAddressResponse'], 'mediaId' | 'method' | 'headers' | 'parts'> & { uploadUrl?: string }
type Job = { file: File; stop: AbortController; mediaId?: string }

// atOnce is how many files are sent at a time: browsers open six connections to a server, and other requests
// need some of them.
const atOnce = 3

// useUploads sends files. One that failed is kept to be tried again, which sends only the parts that are missing.
export function useUploads(done: (upload: Upload) => void) {
  const { t } = useWords()
  const [sending, setSending] = useState<Sending[]>([])
  const jobs = useRef(new Map<string, Job>())
  const waiting = useRef<string[]>([])
  const running = useRef(0)
  const latest = useRef(done)
  latest.current = done
  useEffect(() => {
    const all = jobs.current
    return () => all.forEach((job) => job.stop.abort())
  }, [])
  const change = (id: string, next: Partial<Sending>) => setSending((all) => all.map((s) => (s.id === id ? { ...s, ...next } : s)))
  const forget = (id: string) => {
    jobs.current.delete(id)
    setSending((all) => all.filter((s) => s.id !== id))
  }
  const run = async (id: string, job: Job) => {
    try {
      const mediaId = await upload(job, (part) => change(id, { part }))
      latest.current({ mediaId, type: kindOf(job.file), name: job.file.name })
      forget(id)
    } catch (error) {
      if (!job.stop.signal.aborted) change(id, { error: words(error, t('unreachable')) })
    }
  }
  const next = () => {
    const id = running.current < atOnce ? waiting.current.shift() : undefined
    const job = id && jobs.current.get(id)
    if (!job) return
    running.current++
    void run(id, job).finally(() => {
      running.current--
      next()
    })
  }
  const begin = (id: string) => {
    waiting.current.push(id)
    next()
  }
  return {
    sending,
    send: (file: File) => {
      const id = randomId()
      jobs.current.set(id, { file, stop: new AbortController() })
      setSending((all) => [...all, { id, name: file.name, part: 0 }])
      begin(id)
    },
    retry: (id: string) => {
      change(id, { error: undefined })
      begin(id)
    },
    // cancel stops it, and removes what has arrived; what is left of it otherwise ends by itself.
    cancel: (id: string) => {
      const job = jobs.current.get(id)
      waiting.current = waiting.current.filter((w) => w !== id)
      job?.stop.abort()
      if (job?.mediaId) void api.DELETE('/media/{id}', { params: { path: { id: job.mediaId } } })
      forget(id)
    },
  }
}

// useDrop takes files that are dropped on something, each by send; its props are for what they are dropped on.
export function useDrop(send: (file: File) => void) {
  const [isOver, setOver] = useState(false)
  const props = {
    onDragOver: (event: DragEvent) => { event.preventDefault(); setOver(true) },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      ;[...event.dataTransfer.files].forEach(send)
    },
  }
  return { isOver, props }
}

function kindOf(file: File): Upload['type'] {
  if (file.type.startsWith('video/')) return 'video'
  return file.type === 'application/pdf' ? 'pdf' : 'image'
}

// upload sends a file to where the API says, in the parts that it names where it is large.
async function upload(job: Job, progress: (part: number) => void): Promise<string> {
  const { file, stop: { signal } } = job
  const to: Address = job.mediaId
    ? await ask(api.GET('/media/{id}/parts', { params: { path: { id: job.mediaId } } }))
    : await ask(api.POST('/media/upload-url', { body: { fileName: file.name, size: file.size } }))
  signal.throwIfAborted()
  const pieces = piecesOf(file, to)
  if (pieces.length > 1) job.mediaId = to.mediaId // its parts can be asked for when it is tried again
  let sent = 0
  for (const piece of pieces) {
    if (!piece.isSent) await put(piece, to, signal, (bytes) => progress((sent + bytes) / file.size))
    sent += piece.content.size
  }
  if (pieces.length > 1) await ask(api.POST('/media/{id}/complete', { params: { path: { id: to.mediaId } }, signal }))
  return to.mediaId
}

function piecesOf(file: File, { parts, uploadUrl }: Address): Piece[] {
  if (uploadUrl && (parts?.length ?? 0) <= 1) return [{ url: uploadUrl, content: file, isSent: false }]
  return (parts ?? []).map((p) => ({ url: p.uploadUrl, content: file.slice(p.offset, p.offset + p.size), isSent: p.received }))
}

function put(piece: Piece, to: Address, signal: AbortSignal, progress: (bytes: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest() // fetch does not tell how much has been sent
    const abort = () => request.abort()
    signal.addEventListener('abort', abort)
    request.open(to.method, ownPath(piece.url))
    for (const [name, value] of Object.entries(to.headers)) request.setRequestHeader(name, String(value))
    request.upload.onprogress = (event) => progress(event.loaded)
    request.onabort = () => reject(new Error('the upload was stopped'))
    request.onerror = () => reject(new Error('the connection broke'))
    request.onload = () => (request.status < 300 ? resolve() : reject(refusalOf(request)))
    request.onloadend = () => signal.removeEventListener('abort', abort)
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
