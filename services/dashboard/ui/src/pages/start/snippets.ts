// The first call, in the words of four languages.
export interface Snippet {
  id: string
  name: string
  text: string
}

/** What the first call says. */
export const body = { model: 'auto', messages: [{ role: 'user', content: 'Say hello' }] }

/** Each with a key, or, without one, with that of the environment. */
export function snippets(base: string, key: string | undefined): Snippet[] {
  const name = 'SIGNALBOX_KEY'
  return [
    { id: 'curl', name: 'curl', text: curl(base, key ?? '$' + name) },
    { id: 'python', name: 'Python', text: python(base, key) },
    { id: 'node', name: 'Node', text: node(base, key ? `'${key}'` : `process.env.${name}`) },
    { id: 'go', name: 'Go', text: go(base, key ? `"${key}"` : `os.Getenv("${name}")`) },
  ]
}

const curl = (base: string, key: string) => `curl ${base}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(body)}'`

const python = (base: string, key: string | undefined) => `# pip install openai
${key ? '' : 'import os\n'}from openai import OpenAI

client = OpenAI(base_url="${base}", api_key=${key ? `"${key}"` : 'os.environ["SIGNALBOX_KEY"]'})
answer = client.chat.completions.create(
    model="auto",
    messages=[{"role": "user", "content": "Say hello"}],
)
print(answer.choices[0].message.content)`

const node = (base: string, key: string) => `// npm install openai
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${base}', apiKey: ${key} })
const answer = await client.chat.completions.create({
  model: 'auto',
  messages: [{ role: 'user', content: 'Say hello' }],
})
console.log(answer.choices[0].message.content)`

const go = (base: string, key: string) => `// go get github.com/openai/openai-go/v3
client := openai.NewClient(
	option.WithBaseURL("${base}"),
	option.WithAPIKey(${key}),
)
answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
	Model:    "auto",
	Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello")},
})
if err != nil {
	log.Fatal(err)
}
fmt.Println(answer.Choices[0].Message.Content)`
