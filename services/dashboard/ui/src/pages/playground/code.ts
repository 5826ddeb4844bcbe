// Code that sends the request of the playground, in four languages.
import type { Endpoint } from './draft'
import { endpointPaths } from './draft'

export interface Code {
  id: string
  name: string
  text: string
}

export function buildCode(base: string, endpoint: Endpoint, body: Record<string, unknown>): Code[] {
  const url = `${base}/${endpointPaths[endpoint]}`
  const json = JSON.stringify(body, null, 2)
  return [
    { id: 'curl', name: 'curl', text: curl(url, json) },
    { id: 'python', name: 'Python', text: python(base, endpoint, body) },
    { id: 'node', name: 'Node', text: node(base, endpoint, json, body.stream === true) },
    { id: 'go', name: 'Go', text: go(url, json) },
  ]
}

const curl = (url: string, json: string) => `curl ${url} \\
  -H "Authorization: Bearer $SIGNALBOX_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${json.replaceAll("'", `'\\''`)}'`

const sdkCalls: Record<Endpoint, { python: string; node: string }> = {
  chat: { python: 'chat.completions.create', node: 'chat.completions.create' },
  messages: { python: 'messages.create', node: 'messages.create' },
  responses: { python: 'responses.create', node: 'responses.create' },
}

/** Anthropic's SDKs add /v1 to the base URL themselves. */
const anthropicBase = (base: string) => base.replace(/\/v1$/, '')

function python(base: string, endpoint: Endpoint, body: Record<string, unknown>): string {
  const anthropic = endpoint === 'messages'
  const [pkg, type] = anthropic ? ['anthropic', 'Anthropic'] : ['openai', 'OpenAI']
  const given = Object.entries(body).map(([name, value]) => `    ${name}=${toPython(value, 1)},`).join('\n')
  const print = body.stream === true ? 'for event in response:\n    print(event)' : 'print(response)'
  return `# pip install ${pkg}
import os
from ${pkg} import ${type}

client = ${type}(base_url="${anthropic ? anthropicBase(base) : base}", api_key=os.environ["SIGNALBOX_KEY"])
response = client.${sdkCalls[endpoint].python}(
${given}
)
${print}`
}

/** Writes a JSON value as a Python literal. */
export function toPython(v: unknown, depth: number): string {
  if (v === null) return 'None'
  if (v === true) return 'True'
  if (v === false) return 'False'
  const pad = '    '.repeat(depth)
  const wrap = (open: string, items: string[], close: string) => (items.length === 0 ? open + close : `${open}\n${items.map((i) => `${pad}    ${i},\n`).join('')}${pad}${close}`)
  if (Array.isArray(v)) return wrap('[', v.map((i) => toPython(i, depth + 1)), ']')
  if (typeof v === 'object') return wrap('{', Object.entries(v!).map(([k, i]) => `${JSON.stringify(k)}: ${toPython(i, depth + 1)}`), '}')
  return JSON.stringify(v)
}

function node(base: string, endpoint: Endpoint, json: string, streamed: boolean): string {
  const anthropic = endpoint === 'messages'
  const [pkg, type] = anthropic ? ['@anthropic-ai/sdk', 'Anthropic'] : ['openai', 'OpenAI']
  return `// npm install ${pkg}
import ${type} from '${pkg}'

const client = new ${type}({ baseURL: '${anthropic ? anthropicBase(base) : base}', apiKey: process.env.SIGNALBOX_KEY })
const response = await client.${sdkCalls[endpoint].node}(${json})
${streamed ? 'for await (const event of response) console.log(event)' : 'console.log(response)'}`
}

const go = (url: string, json: string) => `package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := ${goString(json)}
	req, err := http.NewRequest("POST", "${url}", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("SIGNALBOX_KEY"))
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(os.Stdout, res.Body); err != nil {
		log.Fatal(err)
	}
}`

/** Writes a text as a Go raw string, or quoted if it contains a back quote. */
const goString = (text: string): string => (text.includes('`') ? JSON.stringify(text) : '`' + text + '`')
