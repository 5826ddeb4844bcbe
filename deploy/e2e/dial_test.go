package e2e

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// dialPolicy has models of three protocols that differ in price, quality and effort.
const dialPolicy = `version: 1
providers:
  open: {kind: openai, base_url: %[1]s/v1, allow_private: true, wire: {http: {responses_path: /responses}}}
  claude: {kind: anthropic, base_url: %[2]s, allow_private: true}
  google: {kind: gemini, base_url: %[3]s/v1beta, allow_private: true}
models:
  small: {endpoints: [{provider: open, model: up-small}], efforts: [low, high], price: {input: "0.1", output: "0.4"}, context: 8192, max_output: 1000, quality: {general: 0.6}}
  large: {endpoints: [{provider: open, model: up-large}], price: {input: "3", output: "15"}, context: 8192, max_output: 1000, quality: {general: 0.9}}
  broken: {endpoints: [{provider: open, model: up-broken}], price: {input: "0.1", output: "0.4"}, context: 8192, max_output: 1000, quality: {general: 0.6}}
  opus: {endpoints: [{provider: claude, model: up-opus, wire: {reasoning: adaptive}}], efforts: [low, high], price: {input: "3", output: "15"}, context: 8192, max_output: 1000}
  flash: {endpoints: [{provider: google, model: up-flash, wire: {reasoning: level}}], efforts: [low, high], price: {input: "1", output: "2"}, context: 8192, max_output: 1000}
  embed: {kind: embeddings, endpoints: [{provider: open, model: up-embed}], price: {input: "1"}}
defaults: {baseline: large, unlisted: deny}
routes:
  auto: {select: [{name: any, candidates: [large, small]}]}
  fine: {select: [{name: dial, aim: {quality: 0.97}, candidates: [small, large]}]}
  cheap: {select: [{name: dial, aim: {cost: 0.4}, candidates: [small, large]}]}
  efforts: {select: [{name: dial, strategy: cheapest, candidates: [{model: small, effort: high}, small#low, large]}]}
  shaky: {select: [{candidates: [broken, large]}]}
`

const (
	claudeReply    = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":3}}`
	googleReply    = `{"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3}}`
	responsesReply = `{"id":"resp_1","object":"response","status":"completed","model":"m","output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello","annotations":[]}]}],"usage":{"input_tokens":9,"output_tokens":3,"total_tokens":12}}`
)

// dialRig is a gateway that runs dialPolicy.
type dialRig struct {
	*Gateway
	operator             *APIClient
	open, claude, google *scriptedtest.Upstream
}

func newDialRig(t *testing.T, start func(*testing.T, ...string) *Gateway) *dialRig {
	t.Helper()
	always := func(body string) func(scriptedtest.Received) scripted.Response {
		return func(scriptedtest.Received) scripted.Response { return scripted.JSON(200, body) }
	}
	d := &dialRig{claude: scriptedtest.New(t, always(claudeReply)), google: scriptedtest.New(t, always(googleReply))}
	d.open = scriptedtest.New(t, func(r scriptedtest.Received) scripted.Response {
		switch {
		case strings.Contains(string(r.Body), "up-broken"):
			return scripted.JSON(500, `{}`)
		case strings.HasSuffix(r.Path, "/responses"):
			return scripted.JSON(200, responsesReply)
		}
		return scriptedtest.OpenAI(r)
	})
	d.Gateway = start(t, "--config", policyFile(t, fmt.Sprintf(dialPolicy, d.open.URL, d.claude.URL, d.google.URL)))
	d.operator = d.SignInOperator()
	return d
}

// dialCall is a request of one protocol, for one model.
type dialCall struct{ path, body string }

const geminiParts = `"contents":[{"role":"user","parts":[{"text":"hi"}]}]`

// callsOf returns a request for the model in every protocol of chats.
func callsOf(model string) map[string]dialCall {
	return map[string]dialCall{
		"chat":      {"/proxy/v1/chat/completions", chat(model, `,"max_tokens":100`)},
		"messages":  {"/proxy/v1/messages", chat(model, `,"max_tokens":100`)},
		"responses": {"/proxy/v1/responses", `{"model":"` + model + `","store":false,"max_output_tokens":100,"input":"hi"}`},
		"gemini":    {"/proxy/v1beta/models/" + strings.ReplaceAll(model, "#", "%23") + ":generateContent", `{"generationConfig":{"maxOutputTokens":100},` + geminiParts + `}`},
	}
}

func (d *dialRig) send(t *testing.T, c dialCall, maxCost string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.Base+c.path, strings.NewReader(c.body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+d.Key)
	req.Header.Set("Content-Type", "application/json")
	if maxCost != "" {
		req.Header.Set("X-Signalbox-Max-Cost", maxCost)
	}
	res, err := edgeClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(text)
}

// dialRecord is what a record has of aims, efforts and limits.
type dialRecord struct {
	Model, Effort, Code string
	Reason              struct{ Code, Text, Rule string }
	Candidates          []dialCandidate
	Attempts            []struct{ Model, Effort, Code string }
	Inputs              struct {
		MaxCost   *int64 `json:"max_cost_nano_usd"`
		OwnEffort bool   `json:"own_effort"`
	}
}

type dialCandidate struct {
	Model, Effort, Verdict, Text string
	Quality                      int64
	Cost                         int64 `json:"predicted_nano_usd"`
}

func (r *dialRecord) candidate(t *testing.T, model string) dialCandidate {
	t.Helper()
	i := slices.IndexFunc(r.Candidates, func(c dialCandidate) bool { return c.Model == model })
	require.GreaterOrEqual(t, i, 0, model)
	return r.Candidates[i]
}

func (d *dialRig) recordOf(t *testing.T, res *http.Response) (r dialRecord) {
	t.Helper()
	id := res.Header.Get("X-Request-Id")
	d.operator.AwaitRecord(id)
	status, body := d.operator.Call(http.MethodGet, "/requests/"+id, nil, &r)
	require.Equal(t, http.StatusOK, status, "%s", body)
	return r
}

// TestDial tests aims, the maximum cost and efforts through all processes. At the end, every
// decision is recomputed from its record.
func TestDial(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		d := newDialRig(t, start)
		t.Run("aims", d.aims)
		t.Run("presets are listed", d.presetsAreListed)
		t.Run("maximum cost", d.maximumCost)
		t.Run("fallbacks stay below the maximum cost", d.boundedFallback)
		t.Run("efforts", d.efforts)
		t.Run("efforts in every protocol", d.effortsInEveryProtocol)
		t.Run("replay", d.replay)
	})
}

// The predictor estimates the qualities. For every estimate, the served candidate must be the
// one that the aim wants.
func (d *dialRig) aims(t *testing.T) {
	const hard = `,"messages":[{"role":"user","content":"Prove that every bounded monotone sequence of real numbers converges, then derive the rate."}]`
	for _, text := range []string{`,"messages":[{"role":"user","content":"hi"}]`, hard} {
		for route, want := range map[string]struct {
			code          string
			quality, cost int64
		}{
			"fine": {"AIM_QUALITY", 970, 0}, "auto:quality": {"AIM_QUALITY", 990, 0},
			"cheap": {"AIM_COST", 0, 400}, "auto:economy": {"AIM_COST", 0, 250},
		} {
			res, body := d.send(t, dialCall{"/proxy/v1/chat/completions", `{"model":"` + route + `"` + text + `}`}, "")
			require.Equal(t, http.StatusOK, res.StatusCode, body)
			r := d.recordOf(t, res)
			require.Equal(t, want.code, r.Reason.Code, route)
			small, large := r.candidate(t, "small"), r.candidate(t, "large")
			fits := small.Quality*1000 >= want.quality*large.Quality && (want.cost == 0 || small.Cost*1000 <= want.cost*large.Cost)
			require.Equal(t, map[bool]string{true: "small", false: "large"}[fits], res.Header.Get("X-Signalbox-Model"), "%s: %+v", route, r)
			require.Contains(t, r.Reason.Text, "of large)", "the reason names the baseline")
		}
	}
	res, body := d.send(t, dialCall{"/proxy/v1/chat/completions", chat("auto:balanced", "")}, "")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, "AIM_BALANCED", d.recordOf(t, res).Reason.Code)
}

func (d *dialRig) presetsAreListed(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.Base+"/proxy/v1/models", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+d.Key)
	res, err := edgeClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	for _, name := range []string{"auto", "auto:economy", "auto:balanced", "auto:quality"} {
		require.Contains(t, string(text), `"id":"`+name+`"`)
	}
}

func (d *dialRig) maximumCost(t *testing.T) {
	calls := callsOf("auto")
	calls["embeddings"] = dialCall{"/proxy/v1/embeddings", `{"model":"embed","input":"hello there"}`}
	for protocol, c := range calls {
		res, text := d.send(t, c, "0.0005")
		require.Equal(t, http.StatusOK, res.StatusCode, "%s: %s", protocol, text)
		r := d.recordOf(t, res)
		require.Equal(t, int64(500_000), *r.Inputs.MaxCost)
		if protocol != "embeddings" {
			require.Equal(t, "small", r.Model, protocol)
			require.Equal(t, "OVER_MAX_COST", r.Candidates[0].Verdict, protocol)
			require.Contains(t, r.Candidates[0].Text, "but the request allows 0.0005 USD")
		}
		res, text = d.send(t, c, "0.000000001")
		require.Equal(t, http.StatusPaymentRequired, res.StatusCode, "%s: %s", protocol, text)
		require.Equal(t, "MAX_COST_EXCEEDED", res.Header.Get("X-Error-Code"), protocol)
		require.Equal(t, "MAX_COST_EXCEEDED", d.recordOf(t, res).Code)
		res, text = d.send(t, c, "five cents")
		require.Equal(t, http.StatusBadRequest, res.StatusCode, "%s: %s", protocol, text)
		require.Contains(t, text, "X-Signalbox-Max-Cost", protocol)
	}
}

// The cheap candidate fails. The other one could serve the request, but could cost too much.
func (d *dialRig) boundedFallback(t *testing.T) {
	body := dialCall{"/proxy/v1/chat/completions", chat("shaky", `,"max_tokens":100`)}
	res, text := d.send(t, body, "0.01")
	require.Equal(t, http.StatusOK, res.StatusCode, text)
	require.Equal(t, "large", res.Header.Get("X-Signalbox-Model"))
	res, text = d.send(t, body, "0.0005")
	require.Equal(t, http.StatusBadGateway, res.StatusCode, text)
	for _, a := range d.recordOf(t, res).Attempts {
		require.Equal(t, "broken", a.Model)
	}
}

func (d *dialRig) efforts(t *testing.T) {
	res, text := d.send(t, dialCall{"/proxy/v1/chat/completions", chat("efforts", "")}, "")
	require.Equal(t, http.StatusOK, res.StatusCode, text)
	require.Equal(t, "low", res.Header.Get("X-Signalbox-Effort"))
	require.Contains(t, string(d.open.Last().Body), `"reasoning_effort":"low"`)
	r := d.recordOf(t, res)
	require.Equal(t, [3]string{"small", "low", "low"}, [3]string{r.Model, r.Effort, r.Attempts[0].Effort})
	require.Contains(t, r.Reason.Text, "small#low at open is the cheapest")

	// The effort of the request takes precedence.
	res, text = d.send(t, dialCall{"/proxy/v1/chat/completions", chat("efforts", `,"reasoning_effort":"medium"`)}, "")
	require.Equal(t, http.StatusOK, res.StatusCode, text)
	require.Contains(t, string(d.open.Last().Body), `"reasoning_effort":"medium"`)
	r = d.recordOf(t, res)
	require.True(t, r.Inputs.OwnEffort)
	require.Equal(t, [2]string{"small", ""}, [2]string{r.Model, r.Effort})

	for _, model := range []string{"large#low", "small#max"} {
		res, text = d.send(t, dialCall{"/proxy/v1/chat/completions", chat(model, "")}, "")
		require.Equal(t, http.StatusBadRequest, res.StatusCode, text)
		require.Equal(t, "UNSUPPORTED_PARAMETER", res.Header.Get("X-Error-Code"))
	}
}

// Every client can name an effort, and every provider gets it in its own dialect.
func (d *dialRig) effortsInEveryProtocol(t *testing.T) {
	for model, upstream := range map[string]*scriptedtest.Upstream{"small": d.open, "opus": d.claude, "flash": d.google} {
		for protocol, c := range callsOf(model + "#low") {
			res, text := d.send(t, c, "")
			require.Equal(t, http.StatusOK, res.StatusCode, "%s to %s: %s", protocol, model, text)
			require.Contains(t, string(upstream.Last().Body), lowEffortOf(model, protocol), "%s to %s", protocol, model)
			require.Equal(t, "low", d.recordOf(t, res).Effort)
		}
	}
}

// lowEffortOf returns how the upstream of a model gets the effort low from a client.
func lowEffortOf(model, protocol string) string {
	switch {
	case model == "opus":
		return `"effort":"low"`
	case model == "flash":
		return `"thinkingLevel":"LOW"`
	case protocol == "responses":
		return `"reasoning":{"effort":"low"}`
	}
	return `"reasoning_effort":"low"`
}

// Replay with the active policy makes every decision again, from the record alone.
func (d *dialRig) replay(t *testing.T) {
	var report struct{ Requests, Rerouted, Refused, Served, Skipped int64 }
	status, body := d.operator.Call(http.MethodPost, "/policy/replay", map[string]string{}, &report)
	require.Equal(t, http.StatusOK, status, "%s", body)
	require.Greater(t, report.Requests, int64(20))
	require.Zero(t, report.Rerouted, "%s", body)
	require.Zero(t, report.Refused+report.Served, "%s", body)
}
