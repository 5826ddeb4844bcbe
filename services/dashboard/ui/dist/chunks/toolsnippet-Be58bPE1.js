import {D as Dn,v,T}from'./core-B9tf535q.js';var r=[{id:"python",name:"Python",env:'os.environ["SIGNALBOX_KEY"]',quote:'"',text:`# pip install openai
import os
from openai import OpenAI

client = OpenAI(
    base_url="{{base}}",
    api_key={{key}},
    default_headers={"X-Error-Format": "openai"},
)
response = client.chat.completions.create(
    model="auto",
    messages=[{"role": "user", "content": "Say hello"}],
)
print(response.choices[0].message.content)`},{id:"node",name:"Node",env:"process.env.SIGNALBOX_KEY",quote:"'",text:`// npm install openai
import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '{{base}}',
  apiKey: {{key}},
  defaultHeaders: { 'X-Error-Format': 'openai' },
})
const response = await client.chat.completions.create({
  model: 'auto',
  messages: [{ role: 'user', content: 'Say hello' }],
})
console.log(response.choices[0].message.content)`},{id:"go",name:"Go",env:'os.Getenv("SIGNALBOX_KEY")',quote:'"',text:`// go get github.com/openai/openai-go/v3
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	key := {{key}}
	if key == "" {
		fmt.Fprintln(os.Stderr, "SIGNALBOX_KEY is not set")
		os.Exit(1)
	}
	client := openai.NewClient(
		option.WithBaseURL("{{base}}"),
		option.WithAPIKey(key),
		option.WithHeader("X-Error-Format", "openai"),
	)
	response, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{
		Model:    "auto",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello")},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Choices[0].Message.Content)
}`},{id:"langchain",name:"LangChain",env:'os.environ["SIGNALBOX_KEY"]',quote:'"',text:`# pip install langchain-openai
import os
from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model="auto",
    base_url="{{base}}",
    api_key={{key}},
    default_headers={"X-Error-Format": "openai"},
)
print(model.invoke("Say hello").content)`,note:"For OpenAIEmbeddings set check_embedding_ctx_length=False. Otherwise LangChain downloads a tokenizer first."},{id:"aisdk",name:"AI SDK",env:"process.env.SIGNALBOX_KEY",quote:"'",text:`// npm install ai @ai-sdk/openai-compatible
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const signalbox = createOpenAICompatible({
  name: 'signalbox',
  baseURL: '{{base}}',
  apiKey: {{key}},
  headers: { 'X-Error-Format': 'openai' },
  includeUsage: true,
  supportsStructuredOutputs: true,
})
const { text } = await generateText({ model: signalbox('auto'), prompt: 'Say hello' })
console.log(text)`},{id:"litellm",name:"LiteLLM",env:'os.environ["SIGNALBOX_KEY"]',quote:'"',text:`# pip install litellm
import os
import litellm

response = litellm.completion(
    model="openai/auto",
    api_base="{{base}}",
    api_key={{key}},
    extra_headers={"X-Error-Format": "openai"},
    messages=[{"role": "user", "content": "Say hello"}],
)
print(response.choices[0].message.content)`,note:"The prefix openai/ selects the OpenAI format. To replace a LiteLLM proxy, run signalbox import litellm config.yaml."},{id:"cursor",name:"Cursor",env:"$SIGNALBOX_KEY",quote:"",text:`Settings > Models > API Keys

OpenAI API Key            {{key}}
Override OpenAI Base URL  {{base}}
Add model                 auto`,note:"Cursor sends requests from its own servers, so it needs a public https address of this gateway. Its command line cannot use a gateway."},{id:"claude",name:"Claude Code",env:"$SIGNALBOX_KEY",quote:"",text:`export ANTHROPIC_BASE_URL={{root}}
export ANTHROPIC_AUTH_TOKEN={{key}}
export ANTHROPIC_MODEL=claude-auto
export ANTHROPIC_SMALL_FAST_MODEL=claude-auto
export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
claude`,note:"On the machine of Signalbox, signalbox connect claude does this with a key of its own, and adds a status line with the cost of the session.",docs:"/docs/agents#claude-code"},{id:"codex",name:"Codex",env:"",quote:"",text:`# ~/.codex/config.toml
model = "auto"
model_provider = "signalbox"

[model_providers.signalbox]
name = "Signalbox"
base_url = "{{base}}"
wire_api = "responses"
env_key = "SIGNALBOX_KEY"`,note:"Set the variable SIGNALBOX_KEY in the shell that starts Codex. On the machine of Signalbox, signalbox connect codex does all of this.",docs:"/docs/agents#codex"},{id:"env",name:".env",env:"sbx_live_\u2026",quote:"",text:`# OpenAI SDKs and most frameworks
OPENAI_BASE_URL={{base}}
OPENAI_API_KEY={{key}}
# Anthropic SDKs and Claude Code
ANTHROPIC_BASE_URL={{root}}
ANTHROPIC_AUTH_TOKEN={{key}}
# Google Gen AI SDKs and Gemini CLI
GOOGLE_GEMINI_BASE_URL={{root}}
GEMINI_API_KEY={{key}}`,note:"Then use the model auto. Keep the file out of version control."}];function l(t,o,a){let e=r.find(c=>c.id===t);if(!e)return;let p=a?e.quote+a+e.quote:e.env,d=e.text.replaceAll("{{base}}",o).replaceAll("{{root}}",o.replace(/\/v1$/,"")).replaceAll("{{key}}",p);return {id:t,text:d,note:e.note,docs:e.docs}}function x({id:t,base:o,secret:a}){let e=l(t,o,a);return e?Dn(T,{children:[Dn("div",{class:"call",children:[Dn("pre",{class:"snippet",tabIndex:0,children:e.text}),Dn(v,{text:e.text,what:"Code",children:"Copy"},t)]}),e.note||e.docs?Dn("p",{class:"meta",children:[e.note," ",e.docs?Dn("a",{href:e.docs,children:"Docs"}):null]}):null]}):null}export{x as ToolSnippet};