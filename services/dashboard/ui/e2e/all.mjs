// Runs test files one after the other in one process, with one browser:
// node --test-reporter=spec e2e/all.mjs keys.test.mjs live.test.mjs
for (const file of process.argv.slice(2)) await import('./' + file)
