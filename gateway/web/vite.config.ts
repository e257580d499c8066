import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { load } from 'js-yaml'
import { defineConfig, type Plugin } from 'vite'

// compressed writes beside each file what browsers get that take gzip: compressing once is cheaper than at
// each request, and the best that gzip can do.
function compressed(folder: string): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      for (const name of readdirSync(folder).filter((n) => /\.(js|css)$/.test(n))) {
        const file = join(folder, name)
        writeFileSync(file + '.gz', gzipSync(readFileSync(file), { level: 9 }))
      }
    },
  }
}

type Described = { [name: string]: unknown; $ref?: string }

// settings makes the module virtual:settings of what the API's description says of platformSettings, each
// platform's with what it refers to in its place.
function settings(description: string): Plugin {
  const name = '\0virtual:settings'
  return {
    name: 'settings',
    resolveId: (id) => (id === 'virtual:settings' ? name : undefined),
    load(id) {
      if (id !== name) return undefined
      this.addWatchFile(description)
      const { schemas } = (load(readFileSync(description, 'utf8')) as { components: { schemas: Record<string, Described> } }).components
      const inPlace = (_: string, value: Described | null) => (value?.$ref ? schemas[value.$ref.slice('#/components/schemas/'.length)] : value)
      return `export default ${JSON.stringify(schemas.PlatformSettings.properties, inPlace)}`
    },
  }
}

// CRIER_URL is the crier that `npm run dev` talks to.
const crier = process.env.CRIER_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react(), settings('../../schema/openapi/openapi.yaml'), compressed('dist/app/assets')],
  build: { outDir: 'dist/app', emptyOutDir: true, license: { fileName: 'assets/licences.md' }, target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: { proxy: { '/api': crier, '/docs': crier, '/wall': crier } },
})
