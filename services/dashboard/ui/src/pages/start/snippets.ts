// Code that sends the first request, in four languages.
export interface Snippet {
  id: string
  name: string
  text: string
}

/** The body of the first request. */
export const exampleBody = { model: 'auto', messages: [{ role: 'user', content: 'Say hello' }] }

/** Builds the snippets. Without a key, the snippets read the key from the environment variable SIGNALBOX_KEY. */
export function buildSnippets(base: string, key: string | undefined): Snippet[] {
  const name = 'SIGNALBOX_KEY'
  return [
    { id: 'curl', name: 'curl', text: curlSnippet(base, key ?? '$' + name) },
    { id: 'python', name: 'Python', text: pythonSnippet(base, key) },
    { id: 'node', name: 'Node', text: nodeSnippet(base, key ? `'${key}'` : `process.env.${name}`) },
    { id: 'go', name: 'Go', text: goSnippet(base, key ? `"${key}"` : `os.Getenv("${name}")`) },
  ]
}

const curlSnippet = (base: string, key: string) => `curl ${base}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(exampleBody)}'`

const pythonSnippet = (base: string, key: string | undefined) => `# pip install openai
${key ? '' : 'import os\n'}from openai import OpenAI

client = OpenAI(base_url="${base}", api_key=${key ? `"${key}"` : 'os.environ["SIGNALBOX_KEY"]'})
response = client.chat.completions.create(
    model="auto",
    messages=[{"role": "user", "content": "Say hello"}],
)
print(response.choices[0].message.content)`

const nodeSnippet = (base: string, key: string) => `// npm install openai
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${base}', apiKey: ${key} })
const response = await client.chat.completions.create({
  model: 'auto',
  messages: [{ role: 'user', content: 'Say hello' }],
})
console.log(response.choices[0].message.content)`

const goSnippet = (base: string, key: string) => `// go get github.com/openai/openai-go/v3
client := openai.NewClient(
	option.WithBaseURL("${base}"),
	option.WithAPIKey(${key}),
)
response, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
	Model:    "auto",
	Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello")},
})
if err != nil {
	log.Fatal(err)
}
fmt.Println(response.Choices[0].Message.Content)`
