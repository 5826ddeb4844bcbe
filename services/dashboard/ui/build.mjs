// Builds dist reproducibly: the same sources give the same names and bytes. With
// --check it writes nothing, and fails if dist is stale or too large.
import { build } from 'esbuild'
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

const result = await build({
  absWorkingDir: home,
  entryPoints: { app: 'src/app.tsx', charts: 'src/charts.ts', style: 'src/css/style.css' },
  outdir: dist,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  metafile: true,
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

/** Returns a file and all files that it imports statically. */
function withStaticImports(name, found = new Set()) {
  found.add(name)
  for (const i of result.metafile.outputs['dist/' + name].imports) {
    const own = relative('dist', i.path)
    if (i.kind === 'import-statement' && !found.has(own)) withStaticImports(own, found)
  }
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
