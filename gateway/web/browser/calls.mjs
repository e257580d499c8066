// Compares what the console calls with what the API describes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const source = join(import.meta.dirname, '../src')

// written are the calls of the console's source, as METHOD /path; the same in the words of the description.
export function written() {
  const found = new Set()
  for (const name of readdirSync(source, { recursive: true }).filter((n) => /\.tsx?$/.test(n) && !n.endsWith('.d.ts'))) {
    const text = readFileSync(join(source, name), 'utf8')
    for (const [, method, path] of text.matchAll(/\bapi\.([A-Z]+)\(\s*'([^']+)'/g)) found.add(`${method} ${path}`)
    for (const [, path] of text.matchAll(/[`'"]\/api\/v1(\/[a-z/-]+)/g)) found.add(`GET ${path}`)
  }
  return found
}

// described are the operations of a description, each with whether a key may ask for it, and a session.
export function described({ paths, security }) {
  const all = new Map()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const ways = (operation.security ?? security ?? []).map((way) => Object.keys(way)[0] ?? 'anybody')
      all.set(`${method.toUpperCase()} ${path}`, { ways, pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) })
    }
  }
  return all
}

// operationOf is what an operation a request is called by; undefined: none.
export function operationOf(all, method, path) {
  const exact = `${method} ${path}`
  if (all.has(exact)) return exact
  return [...all].find(([name, { pattern }]) => name.startsWith(method + ' ') && pattern.test(path))?.[0]
}
