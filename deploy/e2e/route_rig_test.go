package e2e

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// routesPolicy has a provider whose behaviour depends on the model name, once with
// normal and once with short timeouts, and a healthy provider in Europe.
const routesPolicy = `version: 1
providers:
  us: {kind: openai, base_url: %[1]s/v1, allow_private: true, tags: [us]}
  hasty: {kind: openai, base_url: %[1]s/v1, allow_private: true, tags: [us], timeouts: {first_token: 300ms, idle: 20s, total: 30s}}
  eu: {kind: openai, base_url: %[2]s/v1, allow_private: true, tags: [eu]}
models:
  good: {endpoints: [{provider: us, model: good}], price: {input: "1", output: "2"}, context: 8192}
  large: {endpoints: [{provider: eu, model: large}], price: {input: "3", output: "6"}, context: 8192}
  pair: {endpoints: [{provider: us, model: status-500}, {provider: eu, model: large}], price: {input: "1", output: "2"}, context: 8192}
%[3]sdefaults: {baseline: large, breaker: {min_requests: 3}}
routes:
  auto:
    select:
      - {name: lawyers, when: {key.tag: legal}, target: large}
      - {name: europe, when: {key.tag: eu}, require: [{provider.tag: eu}]}
      - {name: no-batch, when: {request.metadata.purpose: batch}, deny: "batch is not served here"}
      - {name: thrift, when: {budget.used_percent: {gte: 50}}, target: large}
      - {name: in-order, candidates: [good, large]}
  by-text:
    select:
      - {name: europe, when: {key.tag: eu}, require: [{provider.tag: eu}]}
      - {name: no-batch, when: {request.metadata.purpose: batch}, deny: "batch is not served here"}
      - {name: sums, when: {feature.maths: {gte: 900}}, target: large}
      - {name: words, candidates: [good, large]}
  loyal:
    select: [{name: begin, when: {request.metadata.begin: large}, target: large}, {name: in-order, candidates: [good, large]}]
    affinity: {ttl: 10m}
  by-text-failing:
    select: [{name: sums, when: {feature.maths: {gte: 900}}, target: large}, {name: words, candidates: [status-500, large]}]
%[4]s`

// stumbles are failures of a provider before the first content, by the name of the
// model that shows them, with the code of the attempt.
var stumbles = map[string]struct {
	give scripted.Response
	code string
}{
	"stall":         {scripted.Stream(": wait\n\n").First(1, scripted.Hang), "PROVIDER_TIMEOUT"},
	"status-429":    {scripted.JSON(429, `{}`), "PROVIDER_RATE_LIMITED"},
	"status-500":    {scripted.JSON(500, `{}`), "PROVIDER_UPSTREAM_ERROR"},
	"status-503":    {scripted.JSON(503, `{}`), "PROVIDER_OVERLOADED"},
	"garbage":       {scripted.Stream("data: {\"choi\n\n"), "PROVIDER_INVALID_RESPONSE"},
	"error-event":   {scripted.Events(`{"error":{"message":"no","code":500}}`), "PROVIDER_UPSTREAM_ERROR"},
	"empty-stream":  {scripted.Stream(), "PROVIDER_INVALID_RESPONSE"},
	"only-the-role": {scripted.Events(`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`), "PROVIDER_INVALID_RESPONSE"},
}

// providerOf returns the provider of a failing model.
func providerOf(stumble string) string {
	if stumble == "stall" {
		return "hasty"
	}
	return "us"
}

// respondByModel responds as the name of the model says.
func respondByModel(r scriptedtest.Received) scripted.Response {
	for name, s := range stumbles {
		if strings.Contains(string(r.Body), `"model":"`+name+`"`) {
			return s.give
		}
	}
	return scriptedtest.OpenAI(r)
}

// routingRig is a gateway that runs routesPolicy.
type routingRig struct {
	*Gateway
	// edge is the proxy that requests are sent to.
	edge     string
	operator *APIClient
	us, eu   *scriptedtest.Upstream
	file     string
}

func newRoutingRig(t *testing.T, start func(*testing.T, ...string) *Gateway, flags ...string) *routingRig {
	t.Helper()
	s := &routingRig{us: scriptedtest.New(t, respondByModel), eu: scriptedtest.New(t, scriptedtest.OpenAI)}
	models, routes := "", ""
	for name := range stumbles {
		models += fmt.Sprintf("  %[1]s: {endpoints: [{provider: %[2]s, model: %[1]s}], price: {input: \"1\", output: \"2\"}, context: 8192}\n", name, providerOf(name))
		routes += fmt.Sprintf("  to-%[1]s: {select: [{name: in-order, candidates: [%[1]s, large]}]}\n", name)
	}
	s.file = policyFile(t, fmt.Sprintf(routesPolicy, s.us.URL, s.eu.URL, models, routes))
	s.Gateway = start(t, append([]string{"--config", s.file}, flags...)...)
	s.edge, s.operator = s.Base, s.SignInOperator()
	return s
}

// detailedRecord is a record with its reason and candidates.
type detailedRecord struct {
	Record
	Reason     struct{ Code, Text, Rule string }
	Candidates []struct{ Model, Provider, Verdict, Text string }
}

// attemptLines returns one line per attempt, candidateLines one per candidate.
func (r *detailedRecord) attemptLines() (all []string) {
	for _, a := range r.Attempts {
		all = append(all, strings.TrimSpace(a.Model+"@"+a.Provider+" "+a.Code))
	}
	return all
}

func (r *detailedRecord) candidateLines() (all []string) {
	for _, c := range r.Candidates {
		all = append(all, c.Model+"@"+c.Provider+" "+c.Verdict)
	}
	return all
}

func (a *APIClient) awaitDetailedRecord(id string) (r detailedRecord) {
	a.t.Helper()
	a.AwaitRecord(id)
	status, body := a.Call(http.MethodGet, "/requests/"+id, nil, &r)
	require.Equal(a.t, http.StatusOK, status, "%s", body)
	return r
}

// chat returns a request body for a model; more holds further members, each after a
// comma.
func chat(model, more string) string {
	return `{"model":"` + model + `","messages":[{"role":"user","content":"hi"}]` + more + `}`
}

const streamed = `,"stream":true`

// send sends a request, with the first key unless another is given, and returns the
// response and the record.
func (s *routingRig) send(t *testing.T, key, body string) (*http.Response, string, detailedRecord) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.edge+"/proxy/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+cmp.Or(key, s.Key))
	res, err := edgeClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(text), s.operator.awaitDetailedRecord(res.Header.Get("X-Request-Id"))
}

// requireServed sends a request and checks that it was served as expected, and that
// the response headers and the record agree.
func (s *routingRig) requireServed(t *testing.T, key, body, model, provider, route string) detailedRecord {
	t.Helper()
	res, text, r := s.send(t, key, body)
	require.Equal(t, http.StatusOK, res.StatusCode, text)
	require.NotContains(t, text, "error")
	told := []string{res.Header.Get("X-Signalbox-Model"), res.Header.Get("X-Signalbox-Provider"), res.Header.Get("X-Signalbox-Route")}
	require.Equal(t, []string{model, provider, route}, told)
	require.NotNil(t, r.Route)
	require.Equal(t, []string{r.Model, r.Provider, *r.Route, r.Outcome}, append(told, "ok"))
	require.Equal(t, http.StatusOK, r.Status)
	require.NotEmpty(t, res.Header.Get("X-Signalbox-Policy"))
	return r
}
