package requestbody_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// A body that is accepted is strict JSON. A body that is rejected gets an error that says
// where the problem is.
func FuzzParseGemini(f *testing.F) {
	for _, seed := range []string{
		toolLoop, ask(""), parts(`{"inlineData":{"mimeType":"image/png","data":"AA=="}}`), `{"contents":{"parts":{"text":"a"}}}`,
		`{"generateContentRequest":` + ask("") + `}`, `{"content":{"parts":[{"text":"a"}]},"outputDimensionality":3}`,
		`{"requests":[{"content":{"parts":{"text":"a"}}},{"content":{"parts":[{"text":"b"}]}}]}`,
		ask(`,"generation_config":{"top_p":1,"responseSchema":{"type":"STRING"}},"labels":{"a":"b"},"safetySettings":[{}]`),
		turns(`{"functionCall":{"name":"f"}}`, `,{"role":"user","parts":[{"functionResponse":{"name":"f","response":{},"parts":[{"inlineData":{"data":"AA=="}}]}}]}`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, parse := range []func() (*requestbody.Request, error){
			func() (*requestbody.Request, error) { return requestbody.ParseGenerateContent(body, "m", true) },
			func() (*requestbody.Request, error) { return requestbody.ParseCountTokens(body, "m") },
			func() (*requestbody.Request, error) { return requestbody.ParseEmbedContent(body, "m") },
			func() (*requestbody.Request, error) { return requestbody.ParseBatchEmbedContents(body, "m") },
		} {
			r, err := parse()
			if err != nil {
				requireLocated(t, err)
				continue
			}
			require.True(t, strictJSON(body))
			require.GreaterOrEqual(t, r.InputTokens, int64(0))
			require.LessOrEqual(t, len(r.Excerpt(100)), 100)
		}
	})
}

func requireLocated(t *testing.T, err error) {
	t.Helper()
	e := apperr.From(err)
	require.Contains(t, []apperr.Code{apperr.InvalidJSON, apperr.InvalidRequest}, e.Code)
	_, hasParam := e.Details["param"]
	_, hasOffset := e.Details["offset"]
	require.True(t, hasParam || hasOffset, "%v", err)
}
