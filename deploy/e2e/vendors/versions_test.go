package vendors

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/docsref"
)

// sdkPins lists the SDKs that the suites run against the gateway, each with the file that
// pins it and the text before its version there.
var sdkPins = []struct{ sdk, calls, file, before string }{
	{"anthropic for Python", "Messages", "../clients/python/vendors.in", "anthropic=="},
	{"@anthropic-ai/sdk for Node", "Messages", "../clients/node/package.json", `"@anthropic-ai/sdk": "`},
	{"anthropic-sdk-go", "Messages", "../go.mod", "github.com/anthropics/anthropic-sdk-go v"},
	{"openai for Python", "Responses, chat completions, embeddings", "../clients/python/vendors.in", "openai=="},
	{"openai for Node", "Responses, chat completions, embeddings", "../clients/node/package.json", `"openai": "`},
	{"openai-go", "Responses, chat completions, embeddings", "../go.mod", "github.com/openai/openai-go/v3 v"},
	{"google-genai for Python", "Gemini", "../clients/python/vendors.in", "google-genai=="},
	{"@google/genai for Node", "Gemini", "../clients/node/package.json", `"@google/genai": "`},
}

func TestSDKVersionsReferenceIsCurrent(t *testing.T) {
	rows := [][]string{{"SDK", "version", "calls"}}
	for _, p := range sdkPins {
		text, err := os.ReadFile(p.file)
		require.NoError(t, err)
		version := regexp.MustCompile(regexp.QuoteMeta(p.before) + `([0-9.]+)`).FindSubmatch(text)
		require.NotNil(t, version, "%s does not pin %s", p.file, p.sdk)
		rows = append(rows, []string{p.sdk, string(version[1]), p.calls})
	}
	docsref.Check(t, "clients.md", "sdk-versions", docsref.Table(rows))
}
