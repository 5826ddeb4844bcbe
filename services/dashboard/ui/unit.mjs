// Runs the unit tests of the pages' logic (unit/*.test.mjs) with node:test. esbuild
// bundles each test with the sources it imports. Tests whose name starts with
// "zones" check dates, and run once in each of several time zones.
//
//   node unit.mjs [name]   runs the tests whose file name contains name
import { spawnSync } from 'node:child_process'
import { build } from 'esbuild'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = dirname(fileURLToPath(import.meta.url))
// Ahead of UTC by 14 hours, behind it with daylight saving time, and UTC itself.
const zones = ['Pacific/Kiritimati', 'America/New_York', 'UTC']

const tests = readdirSync(join(home, 'unit')).filter((name) => name.endsWith('.test.mjs') && name.includes(process.argv[2] ?? ''))
if (tests.length === 0) fail('no unit test has this name')
const out = mkdtempSync(join(tmpdir(), 'signalbox-unit-'))
process.on('exit', () => rmSync(out, { recursive: true, force: true }))
await build({
  absWorkingDir: home,
  entryPoints: tests.map((name) => join('unit', name)),
  outdir: out,
  outExtension: { '.js': '.mjs' },
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
const dated = tests.filter((name) => name.startsWith('zones'))
run(zones[0], tests)
for (const zone of zones.slice(1)) run(zone, dated)

function run(zone, names) {
  if (names.length === 0) return
  const result = spawnSync(process.execPath, ['--enable-source-maps', '--test', '--test-reporter=spec', ...names.map((name) => join(out, name))], {
    cwd: home, env: { ...process.env, TZ: zone,  }, encoding: 'utf8', timeout: 300_000,
  })
  if (result.status !== 0) fail(`unit tests failed in the time zone ${zone}: ${result.error ?? ''}\n${result.stdout}${result.stderr}`)
  console.log(`unit tests in ${zone}: ${/^. pass (\d+)$/m.exec(result.stdout)?.[1]} passed`)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
