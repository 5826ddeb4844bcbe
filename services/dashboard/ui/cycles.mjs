// Fails if source files import each other in a circle. Imports of types count too.
import { readdirSync, readFileSync, existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = new URL('src', import.meta.url).pathname
const files = readdirSync(root, { recursive: true }).filter((f) => /\.tsx?$/.test(f)).map((f) => join(root, f))
const imports = new Map(files.map((f) => [f, importsOf(f)]))

function importsOf(file) {
  const found = readFileSync(file, 'utf8').matchAll(/^(?:import|export)[^'"]*?from\s+'(\.[^']+)'/gm)
  return [...found].map(([, to]) => resolve(normalize(join(dirname(file), to)))).filter(Boolean)
}

function resolve(path) {
  return ['', '.ts', '.tsx'].map((end) => path + end).find((p) => /\.tsx?$/.test(p) && existsSync(p))
}

/** Returns a path of imports that leads back to its first file, or undefined. */
function findCycle(file, path = [], done = new Set()) {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
  if (done.has(file)) return undefined
  done.add(file)
  for (const next of imports.get(file) ?? []) {
    const cycle = findCycle(next, [...path, file], done)
    if (cycle) return cycle
  }
  return undefined
}

for (const file of files) {
  const cycle = findCycle(file)
  if (cycle) {
    console.error('import cycle: ' + cycle.map((f) => f.slice(root.length + 1)).join(' -> '))
    process.exit(1)
  }
}
