package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// The vectors 1, -0.5 and 0.25, 2, as floats and as base64 of little-endian float32.
const (
	floats1, floats2 = `[1,-0.5]`, `[0.25,2]`
	base1, base2     = `"AACAPwAAAL8="`, `"AACAPgAAAEA="`
)

// vectors returns an upstream's response, embedded the client's response to it.
func vectors(list ...string) string {
	for i, v := range list {
		list[i] = `{"object":"embedding","embedding":` + v + `}`
	}
	return `{"object":"list","data":[` + strings.Join(list, ",") + `],"model":"up","usage":{"prompt_tokens":2,"total_tokens":2}}`
}

func embedded(usage string, list ...string) string {
	out := ""
	for i, v := range list {
		out += `,{"object":"embedding","index":` + string(rune('0'+i)) + `,"embedding":` + v + `}`
	}
	return `{"object":"list","data":[` + out[1:] + `],"model":"embed","usage":` + usage + `}`
}

func embed(input, more string) string { return `{"model":"embed","input":` + input + more + `}` }

const twoTokens = `{"prompt_tokens":2,"total_tokens":2}`

func TestWireEmbeddings(t *testing.T) {
	w := newWire(t)
	const base64 = `,"encoding_format":"base64"`
	for _, tt := range []struct{ name, ask, give, sent, want string }{
		{"W-43 floats for base64", embed(`["a","b"]`, base64), vectors(floats1, floats2), embed(`["a","b"]`, `,"encoding_format":"float"`), embedded(twoTokens, base1, base2)},
		{"W-43 base64 for base64", embed(`["a","b"]`, base64), vectors(base1, base2), embed(`["a","b"]`, `,"encoding_format":"float"`), embedded(twoTokens, base1, base2)},
		{"W-43 base64 for floats", embed(`["a","b"]`, `,"encoding_format":"float"`), vectors(base1, base2), embed(`["a","b"]`, `,"encoding_format":"float"`), embedded(twoTokens, floats1, floats2)},
		{"W-43 no padding", embed(`"a"`, ""), vectors(strings.Replace(base1, "=", "", 1)), embed(`"a"`, ""), embedded(twoTokens, floats1)},
		{"W-44 no format", embed(`"a"`, ""), vectors(floats1), embed(`"a"`, ""), embedded(twoTokens, floats1)},
		{"W-44 null format", embed(`"a"`, `,"encoding_format":null`), vectors(base1), embed(`"a"`, ""), embedded(twoTokens, floats1)},
		{"W-45 text", embed(`"x"`, ""), vectors(floats1), embed(`"x"`, ""), embedded(twoTokens, floats1)},
		{"W-45 texts", embed(`["a", "b"]`, ""), vectors(floats1, floats2), embed(`["a", "b"]`, ""), embedded(twoTokens, floats1, floats2)},
		{"W-45 tokens", embed(`[1,2,3]`, ""), vectors(floats1), embed(`[1,2,3]`, ""), embedded(twoTokens, floats1)},
		{"W-45 tokens of several", embed(`[[1],[2,3]]`, ""), vectors(floats1, floats2), embed(`[[1],[2,3]]`, ""), embedded(twoTokens, floats1, floats2)},
		{"order", embed(`["a","b"]`, ""), `{"data":[{"index":1,"embedding":` + floats2 + `},{"index":0,"embedding":` + floats1 + `}],"usage":{"total_tokens":2}}`, embed(`["a","b"]`, ""), embedded(twoTokens, floats1, floats2)},
		{"dimensions", embed(`"a"`, `,"dimensions":2,"user":"u","vendor":1e300`), vectors(floats1), embed(`"a"`, `,"dimensions":2,"user":"u","vendor":1e300`), embedded(twoTokens, floats1)},
		{"exact floats", embed(`"a"`, ""), vectors(`[0.1000000000000000055511151231257827,-1.5e-8,12345678]`), embed(`"a"`, ""), embedded(twoTokens, `[0.1000000000000000055511151231257827,-1.5e-8,12345678]`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := w.in(t)
			a := w.told(scripted.JSON(200, tt.give), tt.ask)
			require.Equal(t, http.StatusOK, a.status, a.body)
			require.Equal(t, tt.want, a.body)
			require.Equal(t, strings.Replace(tt.sent, `"embed"`, `"up-embed"`, 1), string(w.up.Last().Body))
			require.Equal(t, "/v1/embeddings", w.up.Last().Path)
			require.EqualValues(t, 2, a.record.GetTokens().GetInput())
			require.Equal(t, recordv1.CostBasis_COST_BASIS_FINAL, a.record.GetCostBasis())
		})
	}
	a := w.told(scripted.JSON(200, `{"data":[{"embedding":[1]}]}`), embed(`[1,2,3]`, ""))
	require.Equal(t, embedded(`{"prompt_tokens":3,"total_tokens":3}`, `[1]`), a.body, "usage is always there")
	require.Equal(t, recordv1.CostBasis_COST_BASIS_ESTIMATED, a.record.GetCostBasis())
}

// A client would store a wrong vector without noticing.
func TestWireBadEmbeddings(t *testing.T) {
	w := newWire(t)
	const nan = `"AADAfwAAAAA="`
	item := func(index, v string) string { return `{"index":` + index + `,"embedding":` + v + `}` }
	for name, give := range map[string]string{
		"too few":         vectors(floats1),
		"too many":        vectors(floats1, floats2, floats1),
		"none":            `{"data":[]}`,
		"no data":         `{"object":"list"}`,
		"twice the index": `{"data":[` + item("0", floats1) + `,` + item("0", floats2) + `]}`,
		"no such index":   `{"data":[` + item("0", floats1) + `,` + item("2", floats2) + `]}`,
		"index below 0":   `{"data":[` + item("-1", floats1) + `,` + item("0", floats2) + `]}`,
		"unequal widths":  vectors(floats1, `[1]`),
		"empty":           vectors(`[]`, `[]`),
		"not dimensions":  vectors(`[1]`, `[2]`),
		"NaN":             vectors(nan, floats1),
		"NaN as JSON":     vectors(`[NaN,1]`, floats1),
		"text":            vectors(`["1","2"]`, floats1),
		"null":            vectors(`[null,1]`, floats1),
		"no vector":       vectors(`null`, floats1),
		"too large":       vectors(`[1e39,1]`, floats1),
		"not base64":      vectors(`"?"`, floats1),
		"odd length":      vectors(`"AAAA"`, floats1),
		"events":          "data: {}\n\n",
		"error":           `{"error":{"message":"boom"}}`,
	} {
		for _, format := range []string{"", `,"encoding_format":"base64"`} {
			t.Run(name+format, func(t *testing.T) {
				w := w.in(t)
				a := w.told(scripted.JSON(200, give), embed(`["a","b"]`, format+`,"dimensions":2`))
				a.refused(t, http.StatusBadGateway, "PROVIDER_INVALID_RESPONSE")
			})
		}
	}
	a := w.told(scripted.Events(vectors(floats1)), embed(`"a"`, ""))
	a.refused(t, http.StatusBadGateway, "PROVIDER_INVALID_RESPONSE")
}

func TestWireBadInputs(t *testing.T) {
	w := newWire(t)
	for _, input := range []string{
		`""`, `[]`, `[""]`, `[[]]`, `null`, `5`, `{}`, `["a",1]`, `[1,"a"]`, `[1.5]`, `[-1]`, `[[1],"a"]`, `[[1],[]]`, `[[[1]]]`, `[true]`, `[1e400]`,
		`["a"` + strings.Repeat(`,"a"`, 2048) + `]`,
	} {
		a := w.ask(embedPath, embed(input, ""))
		a.refused(t, http.StatusBadRequest, "INVALID_REQUEST")
		require.Contains(t, a.body, `"param":"input"`, input[:min(len(input), 30)])
	}
	for more, param := range map[string]string{
		`,"encoding_format":"hex"`: "encoding_format", `,"encoding_format":5`: "encoding_format", `,"dimensions":0`: "dimensions",
		`,"dimensions":"2"`: "dimensions", `,"dimensions":1e300`: "dimensions", `,"Input":"b"`: "Input",
	} {
		a := w.ask(embedPath, embed(`"a"`, more))
		a.refused(t, http.StatusBadRequest, "INVALID_REQUEST")
		require.Contains(t, a.body, `"param":"`+param+`"`)
	}
	require.Empty(t, w.up.Received())
}

func TestWireModels(t *testing.T) {
	w := newWire(t)
	a := w.ask(modelsPath, "")
	require.Equal(t, http.StatusOK, a.status)
	require.True(t, strings.HasPrefix(a.body, `{"object":"list","data":[{"id":"auto","object":"model","created":`), a.body)
	for _, id := range []string{"auto", "small", "meta%2Fllama-3", "meta/llama-3", "/small/"} {
		a := w.ask(modelsPath+"/"+id, "")
		require.Equal(t, http.StatusOK, a.status, "W-46 "+id)
		want := strings.Trim(strings.Replace(id, "%2F", "/", 1), "/")
		require.True(t, strings.HasPrefix(a.body, `{"id":"`+want+`","object":"model","created":`), a.body)
	}
	a = w.ask(modelsPath+"/unknown", "")
	a.refused(t, http.StatusNotFound, "MODEL_NOT_FOUND")
}

// The memory of bodies is reused, so a response must not contain parts of another one. Of a long
// response, only the start is stored.
func TestWireLongEmbeddings(t *testing.T) {
	w := newCapturingWire(t, 64<<10).with(full)
	for i, number := range []string{"0.123456789", "-2.5e-05", "7"} {
		long := `[` + strings.Repeat(number+",", 3000>>i) + number + `]`
		a := w.told(scripted.JSON(200, vectors(long)), embed(`"a"`, ""))
		want := embedded(twoTokens, long)
		require.True(t, want == a.body, "the whole response is sent")
		r := a.record
		require.Len(t, r.GetContent().GetResponse(), min(len(want), 2<<10))
		require.True(t, strings.HasPrefix(want, string(r.GetContent().GetResponse())))
		require.EqualValues(t, len(want), r.GetContent().GetResponseBytes())
	}
}
