package clients

import (
	"cmp"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// allCases is set by `make clients`.
var allCases = flag.Bool("all", false, "run all cases of the vendors' SDKs, not only the first one of each")

// sdk describes the SDK of a vendor. It speaks the vendor's own protocol.
type sdk struct {
	// protocol and agent are their names in records.
	protocol, agent string
	// path is the path of the base URL.
	path string
	// finishes translates the stop reasons of chat completions.
	finishes map[string]string
}

var sdks = []library{anthropicPython, anthropicNode, anthropicGo, responsesPython, responsesNode, responsesGo, genaiPython, genaiNode}

// TestSDKs runs the SDKs of the vendors, each configured with only a base URL and a key,
// over emulated vendors. An SDK runs every case over its own vendor, where the gateway
// forwards the request, and over the other vendors, where it translates.
func TestSDKs(t *testing.T) {
	t.Parallel()
	gw := newVendorGateway(t)
	for _, lib := range sdks {
		t.Run(lib.name, func(t *testing.T) {
			t.Parallel()
			mine := slices.DeleteFunc(slices.Clone(sdkCases), func(c testCase) bool {
				return !slices.Contains(lib.kinds, c.kind) || !c.short && !*allCases
			})
			runCases(t, lib, mine, func(testCase) *gateway { return gw }, func(t *testing.T, c testCase, got observation) {
				gw.checkSDK(t, lib, c, got)
			})
		})
	}
}

// sdkColumns are the columns of a case that only the cases of SDKs have.
type sdkColumns struct {
	sdkInput
	// upstream is the vendor that serves the model.
	upstream string
	// prompt follows the marker of the case.
	prompt string
	// short means that `make test` runs the case.
	short bool
}

// sdkInput is the part of a caseInput that only the programs of SDKs read.
type sdkInput struct {
	Image bool `json:"image"`
	Think bool `json:"think"`
	// Again sends the response back, with the results of its tool calls, and asks again.
	Again bool `json:"again"`
	// Max is the limit of output tokens.
	Max int `json:"max_tokens"`
}

// sdkObservation is the part of an observation that only the programs of SDKs report.
type sdkObservation struct {
	Thinking string `json:"thinking"`
	// Input and Output are tokens. Output includes thinking.
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	// Then is the text of the second response.
	Then string `json:"then"`
}

// usualMax is larger than the thinking budget of the cases, as Anthropic requires.
const usualMax = 4096

func (g *gateway) askSDK(lib library, c testCase) caseInput {
	c.Max = cmp.Or(c.Max, usualMax)
	return caseInput{
		BaseURL: g.tap.url + lib.sdk.path,
		Name:    c.name, Kind: c.kind, Key: g.keys[c.key], Model: c.model, Tools: c.tools, Headers: c.headers,
		Prompt: c.promptFor(lib), sdkInput: c.sdkInput,
	}
}

func (c testCase) promptFor(lib library) string {
	events := "2"
	if lib.sdk.protocol == "responses" {
		events = "5"
	}
	return marker(lib.name, c.name) + strings.ReplaceAll(c.prompt, openaiEvents, events)
}

// checkSDK checks what the user of an SDK saw, what the vendor received and what the gateway
// recorded.
func (g *gateway) checkSDK(t *testing.T, lib library, c testCase, got observation) {
	if c.want.Error != nil {
		lib.fails.check(t, c.asForwarded(lib), got)
		return
	}
	require.Nil(t, got.Error, "%+v", got.Error)
	if c.kind == "count" {
		g.checkCount(t, lib, c, got)
		return
	}
	calls := g.vendors.callsWith(c.upstream, marker(lib.name, c.name))
	require.NotEmpty(t, calls, "no call arrived at the vendor")
	require.Equal(t, lib.wanted(c, calls[0].Usage), got.comparable(t))
	if c.Think {
		checkThinkingIsSentBack(t, c, got, calls)
	}
	g.checkRecord(t, lib, c, got.ID, calls[0])
}
