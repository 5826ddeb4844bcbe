// Runs a job of the suite with one client library. It runs each case and prints what the
// library showed its user, one JSON line per case. The suite checks the results.
import { text } from 'node:stream/consumers';

const job = JSON.parse(await text(process.stdin));
const { open, failure } = await import(`./${job.program}.mjs`);

async function see(c) {
  try {
    const client = await open({ baseURL: c.base_url, apiKey: c.key, headers: c.headers });
    return await client[c.kind](c);
  } catch (err) {
    return { error: failure(err) };
  }
}

await Promise.all(
  job.cases.map(async (c) => console.log(JSON.stringify({ case: c.name, ...(await see(c)) }))),
);
