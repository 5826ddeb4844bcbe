package api_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

const ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n"

// Keep-alives are events of the client's protocol. The test runs in a synctest bubble, so all
// times are exact.
func TestKeepAliveOfAProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.deps.KeepAlive = api.KeepAlive{After: 10 * time.Second, Every: 15 * time.Second}
		res, stop := g.postTo(t, messagesPath, chat("true", `{"delay_ms":41000,"first_token_ms":0,"chunk_ms":0}`))
		defer stop()
		body := all(t, res)
		require.True(t, strings.HasPrefix(body, ping+ping+ping+"event: message_start\n"), body)
		require.Equal(t, 3, strings.Count(body, ping))
		require.NotContains(t, body, ": keepalive")
		require.Equal(t, ledger.OK, g.records[0].Outcome)
	})
}

// After a keep-alive, the status is sent. A failure is then an event of the protocol.
func TestAFailureAfterAKeepAlive(t *testing.T) {
	for name, fail := range map[string]func(*rig){
		"an upstream": func(*rig) {},
		"a panic": func(g *rig) {
			g.deps.Providers = func(*policy.Policy) dispatch.Providers {
				<-time.After(20 * time.Second) // in the bubble
				panic("a fault")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t)
				fail(g)
				g.deps.KeepAlive = api.KeepAlive{After: 10 * time.Second, Every: time.Minute}
				res, stop := g.postTo(t, messagesPath, chat("true", `{"delay_ms":20000,"status":400}`))
				defer stop()
				require.Equal(t, http.StatusOK, res.StatusCode)
				body, ok := strings.CutPrefix(all(t, res), ping+": error after 0\nevent: error\ndata: ")
				require.True(t, ok, body)
				code := apperr.Code(g.records[0].Code)
				requireShape(t, apperr.Anthropic, code, body)
				require.Equal(t, ledger.Error, g.records[0].Outcome)
			})
		})
	}
}

// A broken stream ends with the error event of the protocol, after the content so far.
func TestAnInterruptedStreamOfAProtocol(t *testing.T) {
	v := newVendors(t, "opus")
	chunks := []string{`{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}`}
	for _, tt := range []struct {
		model, text, state string
		script             func()
	}{
		{"opus", "Pin 12", ": error after 4\n", func() { v.claude.Script(scripted.Stream(anthropicEvents...).First(4, scripted.Close)) }},
		{"gpt", "Hello", ": error after 1\n", func() { v.open.Script(scripted.Events(chunks...).First(1, scripted.Close)) }},
	} {
		tt.script()
		res, body := v.ask(t, tt.model, `,"stream":true`)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		sent, failure, ok := strings.Cut(body, "event: error\ndata: ")
		require.True(t, ok, body)
		require.Contains(t, sent, tt.text)
		require.True(t, strings.HasSuffix(sent, tt.state), body)
		require.NotContains(t, body, "message_stop")
		e := requireShape(t, apperr.Anthropic, apperr.ProviderInterrupted, failure)
		require.Contains(t, e.Details, "tokens_sent")
		r := v.records[len(v.records)-1]
		require.Equal(t, ledger.Interrupted, r.Outcome)
		require.Equal(t, string(apperr.ProviderInterrupted), r.Code)
		require.Equal(t, tt.model, r.Served.Model)
		require.Contains(t, string(r.Response), tt.text)
	}
}

// Errors of providers keep their wording. Clients recognise some errors by it.
func TestErrorsOfARelayedRequestKeepTheirWording(t *testing.T) {
	v := newVendors(t, "opus")
	v.claude.Script(scripted.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"thinking: budget is too small"}}`))
	res, body := v.ask(t, "opus", "")
	require.Equal(t, http.StatusBadRequest, res.StatusCode, body)
	e := requireShape(t, apperr.Anthropic, apperr.ProviderBadRequest, body)
	require.Contains(t, e.message, "thinking: budget is too small")
	require.Equal(t, ledger.Error, v.records[0].Outcome)
}

// A response of the wrong kind is an error of the provider, so another candidate serves.
func TestAnUnexpectedKindOfResponse(t *testing.T) {
	for stream, reply := range map[string]scripted.Response{
		`,"stream":true`: scripted.JSON(200, anthropicMessage), "": scripted.Stream(anthropicEvents...),
	} {
		v := newVendors(t, "opus, gpt")
		v.claude.Script(reply)
		res, body := v.ask(t, "auto", stream)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		require.Equal(t, gptAtOpen, v.records[0].Served)
		require.Equal(t, string(apperr.ProviderInvalidResponse), v.records[0].Attempts[0].Code)
	}
}
