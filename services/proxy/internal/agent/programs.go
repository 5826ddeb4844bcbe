package agent

import "bytes"

// The names in these tables are part of the API: filters and saved links use them. All keys
// are in lower case.

// programs maps product tokens to names, of the User-Agent and of the Originator header.
var programs = map[string]string{
	"claude-cli":           "claude-code",
	"claude-code":          "claude-code",
	"codex":                "codex",
	"opencode":             "opencode",
	"qwencode":             "qwen-code",
	"qwen-code":            "qwen-code",
	"cline":                "cline",
	"roocode":              "roo-code",
	"kilo-code":            "kilo-code",
	"aider":                "aider",
	"continue":             "continue",
	"pi":                   "pi",
	"pi-coding-agent":      "pi",
	"litellm":              "litellm",
	"signalbox-playground": "playground",
	"ai":                   "vercel-ai-sdk",
	"ai-sdk":               "vercel-ai-sdk",
}

// families maps the beginnings of product tokens to names, for programs that add their
// variant or platform to the token.
var families = prefixes{
	{"codex_", "codex"}, {"codex-", "codex"},
	{"geminicli", "gemini-cli"}, {"gemini-cli", "gemini-cli"},
	{"langchain", "langchain"},
}

// titles maps values of the X-Title header to names.
var titles = map[string]string{
	"aider": "aider", "cline": "cline", "continue": "continue", "kilo code": "kilo-code",
	"opencode": "opencode", "pi": "pi", "qwen code": "qwen-code", "roo code": "roo-code",
}

// plainClients lists clients that are no program for language models. They are in a table
// so that their names need no search for secrets.
var plainClients = map[string]string{
	"axios": "axios", "bun": "bun", "curl": "curl", "deno": "deno", "go-http-client": "go-http-client",
	"go-resty": "go-resty", "httpie": "httpie", "java-http-client": "java-http-client", "mozilla": "mozilla",
	"node": "node", "node-fetch": "node-fetch", "okhttp": "okhttp", "postmanruntime": "postmanruntime",
	"python-httpx": "python-httpx", "python-requests": "python-requests", "python-urllib": "python-urllib",
	"reqwest": "reqwest", "ruby": "ruby", "undici": "undici", "wget": "wget",
}

type prefixes []struct{ begin, name string }

func (p prefixes) find(text []byte) string {
	for _, row := range p {
		if bytes.HasPrefix(text, []byte(row.begin)) {
			return row.name
		}
	}
	return ""
}

func byProduct(product []byte) string {
	if name, ok := programs[string(product)]; ok {
		return name
	}
	return families.find(product)
}
