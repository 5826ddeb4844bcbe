package agent_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/agent"
)

// headers returns the headers of the pairs of names and values.
func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// The headers of the first part were recorded from the programs themselves. The programs that
// send only the User-Agent of their SDK cannot be told from it: Aider, Continue and pi, and
// Cline, which uses the AI SDK.
func TestClientsAreIdentified(t *testing.T) {
	for _, tt := range []struct {
		want string
		from http.Header
	}{
		{"claude-code", headers("User-Agent", "claude-cli/2.1.325 (external, cli)")},
		{"claude-code", headers("User-Agent", "claude-cli/2.1.325 (external, sdk-cli)", "X-Stainless-Lang", "js", "X-App", "cli")},
		{"claude-code", headers("User-Agent", "Bun/1.4.4", "X-Claude-Code-Session-Id", "6f0a")},
		{"codex", headers("User-Agent", "codex_exec/0.166.0 (Debian 12.0.0; x86_64) dumb (codex_exec; 0.166.0)", "Originator", "codex_exec")},
		{"gemini-cli", headers("User-Agent", "GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux; x64; terminal)", "X-Goog-Api-Client", "google-genai-sdk/1.30.0 gl-node/v20.20.2")},
		{"opencode", headers("User-Agent", "opencode/1.18.34 ai-sdk/provider-utils/4.0.23 runtime/bun/1.3.14")},
		{"qwen-code", headers("User-Agent", "QwenCode/0.24.4 (linux; x64)", "X-Stainless-Lang", "js")},
		{"vercel-ai-sdk", headers("User-Agent", "ai-sdk/openai-compatible/3.0.37 ai-sdk/provider-utils/5.0.30 runtime/bun/1.3.13")},
		{"openai-python", headers("User-Agent", "OpenAI/Python 2.20.0", "X-Stainless-Lang", "python")},
		{"openai-node", headers("User-Agent", "OpenAI/JS 6.26.0", "X-Stainless-Lang", "js")},
		{"openai-node", headers("User-Agent", "ls/JS 5.23.2", "X-Stainless-Lang", "js")},

		{"codex", headers("User-Agent", "my-wrapper/1.0", "Originator", "codex_cli_rs")},
		{"codex", headers("User-Agent", "codex-tui/0.149.1 (Mac OS 26.0; arm64)")},
		{"codex", headers("Originator", "Codex Desktop")},
		{"pi", headers("Originator", "pi", "User-Agent", "pi (linux 6.1; x64)")},
		{"gemini-cli", headers("User-Agent", "GeminiCLI/0.34.0/gemini-2.5-pro (darwin; arm64)")},
		{"cline", headers("User-Agent", "Cline/3.0.61")},
		{"playground", headers("User-Agent", "signalbox-playground")},
		{"cline", headers("User-Agent", "OpenAI/JS 5.1.0", "X-Stainless-Lang", "js", "X-Title", "Cline")},
		{"aider", headers("User-Agent", "OpenAI/Python 2.20.0", "X-Stainless-Lang", "python", "X-Title", "Aider")},
		{"litellm", headers("User-Agent", "litellm/1.90.1")},
		{"langchain", headers("User-Agent", "langchainjs-openai/1.0.0 ((node/v24.16.0; linux; x64))", "X-Stainless-Lang", "js")},
		{"vercel-ai-sdk", headers("User-Agent", "ai/5.0.0 ai-sdk/openai/2.0.0 runtime/node.js/22")},
		{"openai-python", headers("User-Agent", "AsyncAzureOpenAI/Python 1.99.0", "X-Stainless-Lang", "python")},
		{"openai-python", headers("User-Agent", "OpenAI/Python 2.0")},
		{"openai-go", headers("User-Agent", "OpenAI/Go 1.12.0", "X-Stainless-Lang", "go")},
		{"anthropic-python", headers("User-Agent", "AsyncAnthropic/Python 0.71.0", "X-Stainless-Lang", "python", "Anthropic-Version", "2023-06-01")},
		{"anthropic-node", headers("User-Agent", "Anthropic/JS 0.128.0", "X-Stainless-Lang", "js")},
		{"anthropic-go", headers("User-Agent", "Anthropic/Go 1.4.0", "X-Stainless-Lang", "go")},
		{"anthropic-node", headers("User-Agent", "a1/JS 0.128.0", "X-Stainless-Lang", "js", "Anthropic-Version", "2023-06-01")},
		{"openai-node", headers("User-Agent", "Mozilla/5.0 (X11)", "X-Stainless-Lang", "js")},
		{"openai", headers("User-Agent", "OpenAI/Zig 1.0", "X-Stainless-Lang", "zig")},
		{"google-genai-python", headers("User-Agent", "google-genai-sdk/1.30.0 gl-python/3.11.2")},
		{"google-genai-node", headers("User-Agent", "google-genai-sdk/1.30.0 gl-node/v20.20.2")},
		{"google-genai-go", headers("User-Agent", "google-genai-sdk/1.30.0 gl-go/go1.25")},
		{"google-genai-node", headers("User-Agent", "Mozilla/5.0", "X-Goog-Api-Client", "google-genai-sdk/1.30.0 gl-node/web")},
		{"curl", headers("User-Agent", "curl/8.5.0")},
		{"go-http-client", headers("User-Agent", "Go-http-client/2.0")},
		{"mozilla", headers("User-Agent", "Mozilla/5.0 (X11)")},
	} {
		name, known := agent.Identify(tt.from)
		require.Equal(t, tt.want, name, tt.from)
		require.True(t, known, tt.from)
	}
}

// Other programs are named after the product token of their User-Agent. Nothing else of the
// header is returned.
func TestUnknownClientsAreNamedAfterTheirProduct(t *testing.T) {
	for _, tt := range []struct{ userAgent, product, want string }{
		{"MyBot/1.0 (+https://example.org; ops@example.org)", "MyBot", "mybot"},
		{"acme.crawler_2-x", "acme.crawler_2-x", "acme.crawler_2-x"},
		{"Groq/Python 0.9.0", "Groq", "groq"},
		{"pixel/1", "pixel", "pixel"},
		{"ls/JS 5.23.2", "ls", "ls"},
		{"OpenAI/Zig 1.0", "OpenAI", "openai"},
		{"two words", "two", "two"},
		{"a-name-that-is-longer-than-thirty-two-bytes/1", "a-name-that-is-longer-than-thirty-two-bytes", "a-name-that-is-longer-than-thirt"},
		{"", "", ""},
		{"/1.0", "", ""},
		{"\xff\x00", "", ""},
		{"größe/1", "gr", "gr"},
		{strings.Repeat("x", 64), strings.Repeat("x", 64), strings.Repeat("x", 32)},
		{strings.Repeat("x", 65), "", ""},
		{"-._", "-._", ""},
		{"12345", "12345", ""},
		{"01a1e126-3474-7472-8168-eb4f263eb00e", "01a1e126-3474-7472-8168-eb4f263eb00e", ""},
	} {
		require.Equal(t, tt.product, agent.Product(tt.userAgent), tt.userAgent)
		name, known := agent.Identify(headers("User-Agent", tt.userAgent))
		require.False(t, known, tt.userAgent)
		require.Equal(t, tt.want, name, tt.userAgent)
	}
	name, known := agent.Identify(headers("User-Agent", "Groq/Python 0.9.0", "X-Stainless-Lang", "python", "Originator", "groq-cli", "X-Title", "Groq"))
	require.Equal(t, "groq", name)
	require.False(t, known)
	name, known = agent.Identify(nil)
	require.Empty(t, name)
	require.False(t, known)
}

var safe = regexp.MustCompile(`^[a-z0-9._-]{0,32}$`)

func FuzzIdentify(f *testing.F) {
	f.Add("claude-cli/2.1.325 (external, cli)", "js", "codex_exec", "Cline", "google-genai-sdk/1.0 gl-node/20")
	f.Add("sk-ant-api03-AbCdEf0123456789AbCdEf0123456789", "python", "", "", "")
	f.Add("OpenAI/Python 2.20.0", "Python", "pi", strings.Repeat("x", 100), "google-genai-sdk/ gl-")
	f.Fuzz(func(t *testing.T, userAgent, language, originator, title, google string) {
		name, known := agent.Identify(agent.Header{
			"User-Agent": {userAgent}, "X-Stainless-Lang": {language}, "Originator": {originator}, "X-Title": {title}, "X-Goog-Api-Client": {google},
		})
		require.Regexp(t, safe, name)
		if !known {
			require.True(t, strings.HasPrefix(strings.ToLower(agent.Product(userAgent)), name))
		}
	})
}

func TestIdentifyingAKnownClientDoesNotAllocate(t *testing.T) {
	for name, h := range benchmarked() {
		require.Zero(t, testing.AllocsPerRun(100, func() { agent.Identify(h) }), name)
	}
}

func BenchmarkIdentify(b *testing.B) {
	for name, h := range benchmarked() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				agent.Identify(h)
			}
		})
	}
}

func benchmarked() map[string]http.Header {
	return map[string]http.Header{
		"claude-code": headers("User-Agent", "claude-cli/2.1.325 (external, cli)", "X-Stainless-Lang", "js", "X-Claude-Code-Session-Id", "6f0a"),
		"codex":       headers("User-Agent", "codex_exec/0.166.0 (Debian 12.0.0; x86_64) dumb (codex_exec; 0.166.0)", "Originator", "codex_exec"),
		"gemini-cli":  headers("User-Agent", "GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux; x64; terminal)", "X-Goog-Api-Client", "google-genai-sdk/1.30.0 gl-node/v20.20.2"),
		"sdk":         headers("User-Agent", "OpenAI/Python 2.20.0", "X-Stainless-Lang", "python"),
		"curl":        headers("User-Agent", "curl/8.5.0"),
		"unknown":     headers("User-Agent", "acme-crawler/1.0"),
		"none":        headers("Accept", "*/*"),
	}
}
