import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
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

// CRIER_URL is the crier that `npm run dev` talks to.
const crier = process.env.CRIER_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react(), compressed('dist/app/assets')],
  build: { outDir: 'dist/app', emptyOutDir: true, license: { fileName: 'assets/licences.md' }, target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: { proxy: { '/api': crier, '/docs': crier, '/wall': crier } },
})
