// Runs the unit tests of the pages' logic (unit/*.test.mjs) with node:test. esbuild
// bundles the tests with the sources they import. Tests whose name starts with
// "zones" check dates, and run once in each of several time zones. Tests that may change what
// others see run in processes of their own. All others share one, which saves CPU time.
//
//   node unit.mjs [name]   runs the tests whose file name contains name
import { spawnSync } from 'node:child_process'
import { build } from 'esbuild'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = dirname(fileURLToPath(import.meta.url))
// Ahead of UTC by 14 hours, behind it with daylight saving time, and UTC itself.
const zones = ['Pacific/Kiritimati', 'America/New_York', 'UTC']

const tests = readdirSync(join(home, 'unit')).filter((name) => name.endsWith('.test.mjs') && name.includes(process.argv[2] ?? ''))
if (tests.length === 0) fail('no unit test has this name')
// What may change a later test: globals, the URL, the state of mounted components, mocks, and hooks of node:test.
const changes = /mount\.mjs|\b(globalThis|window|document|location|history|navigator|\w*Storage|performance|boot|mock|(before|after)(Each)?|navigate|set(Params|Range))\b/
const alone = tests.filter((name) => name.startsWith('zones') || changes.test(readFileSync(join(home, 'unit', name), 'utf8')))
const shared = tests.filter((name) => !alone.includes(name))

const out = mkdtempSync(join(tmpdir(), 'signalbox-unit-'))
process.on('exit', () => rmSync(out, { recursive: true, force: true }))
if (shared.length > 0) await bundle('shared', shared)
for (const name of alone) await bundle(name, [name])
run(zones[0], [...(shared.length > 0 ? ['shared'] : []), ...alone])
for (const zone of zones.slice(1)) run(zone, alone.filter((name) => name.startsWith('zones')))

// bundle writes one file that runs the tests. All bundles start with the parts of a browser, so
// that a test runs the same way alone and with others.
async function bundle(file, names) {
  await build({
    absWorkingDir: home,
    stdin: { contents: ['browser.mjs', ...names].map((name) => `import './unit/${name}'`).join('\n'), resolveDir: home },
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
  if (files.length === 0) return
  const { status, error, stdout, stderr } = test(zone, files)
  const passed = Number(/^. pass (\d+)$/m.exec(stdout)?.[1])
  if (status !== 0 || !(passed > 0)) {
    // Reading the source maps takes time, so only a second run does it, to name lines of the sources.
    const second = error ? { status: 0 } : test(zone, files, '--enable-source-maps')
    fail(`unit tests failed in the time zone ${zone}: ${error ?? ''}\n${second.status === 0 ? stdout + stderr : second.stdout}`)
  }
  console.log(`unit tests in ${zone}: ${passed} passed`)
}

function test(zone, files, ...flags) {
  return spawnSync(process.execPath, [...flags, '--test', '--test-reporter=spec', ...files.map(bundled)], {
    cwd: home, env: { ...process.env, TZ: zone }, encoding: 'utf8', timeout: 300_000,
  })
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
