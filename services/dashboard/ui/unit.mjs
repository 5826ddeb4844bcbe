// Runs the unit tests of the pages' logic (unit/*.test.mjs) with node:test. esbuild
// bundles the tests with the sources they import. Tests whose name starts with
// "zones" check dates, and run once in each of several time zones. A test that changes
// globals runs in a process of its own; all others share one, which takes a third of the time.
//
//   node unit.mjs [name]   runs the tests whose file name contains name
import { spawnSync } from 'node:child_process'
import { build } from 'esbuild'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = dirname(fileURLToPath(import.meta.url))
// Ahead of UTC by 14 hours, behind it with daylight saving time, and UTC itself.
const zones = ['Pacific/Kiritimati', 'America/New_York', 'UTC']

const tests = readdirSync(join(home, 'unit')).filter((name) => name.endsWith('.test.mjs') && name.includes(process.argv[2] ?? ''))
if (tests.length === 0) fail('no unit test has this name')
const changesGlobals = (name) => /\b(globalThis|location|navigator)\./.test(readFileSync(join(home, 'unit', name), 'utf8'))
const dated = tests.filter((name) => name.startsWith('zones'))
const alone = tests.filter((name) => !dated.includes(name) && changesGlobals(name))
const shared = tests.filter((name) => !dated.includes(name) && !alone.includes(name))

const out = mkdtempSync(join(tmpdir(), 'signalbox-unit-'))
process.on('exit', () => rmSync(out, { recursive: true, force: true }))
await bundle('dated', dated)
await bundle('shared', shared)
for (const name of alone) await bundle(name, [name])
run(zones[0], ['dated', 'shared', ...alone])
for (const zone of zones.slice(1)) run(zone, ['dated'])

// bundle writes one file that runs the tests.
async function bundle(file, names) {
  if (names.length === 0) return
  await build({
    absWorkingDir: home,
    stdin: { contents: names.map((name) => `import './unit/${name}'`).join('\n'), resolveDir: home },
    outfile: bundled(file),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The browser's builds of the packages, as in the pages.
    mainFields: ['module', 'main'],
    conditions: ['browser'],
    sourcemap: 'inline',
    logLevel: 'warning',
  })
}

function bundled(file) {
  return join(out, `${file}.test.mjs`)
}

function run(zone, files) {
  files = files.map(bundled).filter((file) => existsSync(file))
  if (files.length === 0) return
  const first = test(zone, files)
  if (first.status !== 0) {
    // Reading the source maps takes time, so only a failed run does it, to name lines of the sources.
    const mapped = test(zone, files, '--enable-source-maps')
    const { error, stdout, stderr } = mapped.status === 0 ? first : mapped
    fail(`unit tests failed in the time zone ${zone}: ${error ?? ''}\n${stdout}${stderr}`)
  }
  console.log(`unit tests in ${zone}: ${/^. pass (\d+)$/m.exec(first.stdout)?.[1]} passed`)
}

function test(zone, files, ...flags) {
  return spawnSync(process.execPath, [...flags, '--test', '--test-reporter=spec', ...files], {
    cwd: home, env: { ...process.env, TZ: zone }, encoding: 'utf8', timeout: 300_000,
  })
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
