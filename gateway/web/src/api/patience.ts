import { useSyncExternalStore } from 'react'

// maxWaits is how often a read waits for a minute with room.
const maxWaits = 3

let waiting: number[] = [] // when each read that waits is asked again, in milliseconds of the epoch
const listeners = new Set<() => void>()

function tell(next: number[]) {
  waiting = next
  listeners.forEach((listener) => listener())
}

// patiently reads again what was refused because there were too many requests in this minute, once the server takes
// more. What may change something is never sent twice.
export async function patiently(request: Request): Promise<Response> {
  for (let waits = 0; ; waits++) {
    const answer = await fetch(request)
    const seconds = answer.status === 429 && request.method === 'GET' ? Number(answer.headers.get('Retry-After')) : 0
    if (!seconds || waits === maxWaits) return answer
    await wait(seconds * 1000)
  }
}

async function wait(milliseconds: number) {
  const until = Date.now() + milliseconds
  tell([...waiting, until])
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  const at = waiting.indexOf(until)
  tell(waiting.filter((_, i) => i !== at))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// useWaiting is when the last read that waits is asked again, in milliseconds of the epoch; 0: none waits.
export const useWaiting = () => useSyncExternalStore(subscribe, () => Math.max(0, ...waiting))
