// Starts a crier of its own, with the console, for what looks at it in a browser.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')

// binary is the crier that is started; CRIER_BINARY names another than make build's.
const binary = process.env.CRIER_BINARY ?? join(root, 'bin/crier')

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
})

// start returns a running crier: its address, its test key, what asks its API by that, what makes a link for somebody
// to sign in, and what ends it. It is started with more flags, and reached by a name of this machine.
export async function start(flags = [], host = '127.0.0.1') {
  const data = mkdtempSync(join(tmpdir(), 'crier-console-'))
  const [port, admin] = [await freePort(), await freePort()]
  const url = `http://${host}:${port}`
  const child = spawn(binary, [
    'serve', '--demo', '--allow-private-webhooks', '--listen', `127.0.0.1:${port}`, '--admin-listen', `127.0.0.1:${admin}`, '--data', data,
    '--console', join(root, 'gateway/web/dist/app'), '--public-url', url, ...flags,
  ], { stdio: ['ignore', 'pipe', 'pipe'] })
  const key = await new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk) => {
      output += chunk
      const found = /crier_test_\w+/.exec(output)
      if (found) resolve(found[0])
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', () => reject(new Error('crier ended:\n' + output)))
  })
  const ask = async (method, path, body) => {
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const link = async (email, name = 'Ada', role = 'owner') => {
    const { stdout } = await promisify(execFile)(binary, ['users', 'add', email, '--name', name, '--workspace', 'demo', '--role', role, '--public-url', url, '--data', data])
    return stdout.trim()
  }
  const stop = () => new Promise((resolve) => {
    child.removeAllListeners('exit')
    child.on('exit', () => {
      rmSync(data, { recursive: true, force: true })
      resolve()
    })
    child.kill('SIGTERM')
  })
  return { url, key, ask, link, stop }
}

// browser starts the Chromium that scripts/console/chromium finds.
export function browser() {
  const executablePath = execFileSync(join(root, 'scripts/console/chromium'), { encoding: 'utf8' }).trim()
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}
