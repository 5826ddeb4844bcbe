// The tools that send the first request. Only the text of curl is part of the first load.

/** The body of the first request. */
export const exampleBody = { model: 'auto', messages: [{ role: 'user', content: 'Say hello' }] }

/** The tools in the order of the page. tools.json has the texts of all but curl. */
export const toolNames = [
  ['curl', 'curl'], ['python', 'Python'], ['node', 'Node'], ['go', 'Go'], ['langchain', 'LangChain'], ['aisdk', 'AI SDK'], ['litellm', 'LiteLLM'],
  ['cursor', 'Cursor'], ['claude', 'Claude Code'], ['codex', 'Codex'], ['env', '.env'],
].map(([id, name]) => ({ id: id!, name: name! }))

/** Returns the call with curl. Without a key, it reads the key from the environment variable SIGNALBOX_KEY. */
export const curlSnippet = (base: string, key: string | undefined) => `curl ${base}/chat/completions \\
  -H "Authorization: Bearer ${key ?? '$SIGNALBOX_KEY'}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(exampleBody)}'`
