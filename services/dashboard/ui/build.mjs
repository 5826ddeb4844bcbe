// Builds dist reproducibly: the same sources give the same names and bytes. With
// --check it writes nothing, and fails if dist is stale or too large.
import { build } from 'esbuild'
import { rollup } from 'rollup'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { renderDocs } from './docs.mjs'

const home = dirname(fileURLToPath(import.meta.url))
const dist = join(home, 'dist')
const checking = process.argv.includes('--check')

// The limits for compressed JavaScript in KB: at first load, in total without the code editor,
// and of the code editor. A page loads its part of the total when it is first opened. Only the
// policy page loads the editor.
const budget = { first: 60, all: 170, editor: 116 }

/** The static imports of every script. */
const staticImports = new Map()

const result = await build({
  absWorkingDir: home,
  entryPoints: { app: 'src/app.tsx', charts: 'src/charts.ts', style: 'src/css/style.css' },
  outdir: dist,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  write: false,
  minify: true,
  format: 'esm',
  target: ['es2022', 'chrome120', 'firefox121', 'safari17'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  assetNames: 'fonts/[name]',
  loader: { '.woff2': 'file' },
  legalComments: 'none',
  logLevel: 'warning',
})

const files = new Map(result.outputFiles.map((f) => [relative(dist, f.path), Buffer.from(f.contents)]))
await joinChunks()
files.set('docs/site.json', renderDocs(join(home, '../../../docs'), join(home, 'src')))
checkSizes()
if (checking) checkDrift()
else writeAll()

function checkSizes() {
  const kb = (name) => gzipSync(files.get(name), { level: 9 }).length / 1024
  const sum = (names) => names.reduce((n, name) => n + kb(name), 0)
  const first = sum([...withStaticImports('app.js')])
  const isEditor = (name) => name.startsWith('chunks/codeeditor-')
  const scripts = [...files.keys()].filter((name) => name.endsWith('.js'))
  const all = sum(scripts.filter((name) => !isEditor(name))), editor = sum(scripts.filter(isEditor))
  console.log(`compressed JavaScript: ${first.toFixed(1)} KB at first load (limit ${budget.first}), ${all.toFixed(1)} KB in total (limit ${budget.all}), ${editor.toFixed(1)} KB for the code editor (limit ${budget.editor})`)
  if (editor === 0) fail('the code editor is not a chunk of its own')
  if (first > budget.first || all > budget.all || editor > budget.editor) fail('the dashboard is over its size limit: remove code or load it lazily')
}

/**
 * Replaces the scripts by fewer ones. esbuild makes a chunk for every set of pages that share a module, so that the
 * first load had 38 requests, each of which waits for the network. rollup puts what the app always loads into app.js.
 */
async function joinChunks() {
  const ours = { name: 'outputs', resolveId: (to, from) => join(from ? dirname(from) : '', to), load: (name) => files.get(name).toString() }
  const bundle = await rollup({ input: ['app.js', 'charts.js'], plugins: [ours], preserveEntrySignatures: 'strict' })
  const { output } = await bundle.generate({ format: 'es', compact: true, entryFileNames: '[name].js', chunkFileNames: nameChunk })
  for (const name of [...files.keys()].filter((n) => n.endsWith('.js'))) files.delete(name)
  for (const chunk of output) {
    files.set(chunk.fileName, Buffer.from(chunk.code))
    staticImports.set(chunk.fileName, chunk.imports)
  }
}

/** core has what every page loads, and a page that is loaded on demand has its own name. The server preloads both by these names. */
function nameChunk(c) {
  const name = c.moduleIds.includes('app.js') ? 'core' : c.isDynamicEntry ? c.name.replace(/-[A-Z0-9]{8}$/, '') : 'shared'
  return `chunks/${name}-[hash].js`
}

/** Returns a file and all files that it imports statically. */
function withStaticImports(name, found = new Set()) {
  found.add(name)
  for (const own of staticImports.get(name)) if (!found.has(own)) withStaticImports(own, found)
  return found
}

function checkDrift() {
  const have = existsSync(dist) ? readdirSync(dist, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()) : []
  const names = have.map((e) => relative(dist, join(e.parentPath, e.name)))
  const stale = [...files].filter(([name, bytes]) => !names.includes(name) || !readFileSync(join(dist, name)).equals(bytes))
  const left = names.filter((name) => !files.has(name))
  if (stale.length || left.length) fail(`dist is stale (${[...stale.map(([n]) => n), ...left].join(', ')}): run make ui`)
}

function writeAll() {
  rmSync(dist, { recursive: true, force: true })
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(dist, name)), { recursive: true })
    writeFileSync(join(dist, name), bytes)
  }
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
