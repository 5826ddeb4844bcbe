package api

import (
	"errors"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/shadow"
)

// offerSample offers a served request to the experiments of its policy. Call it after the
// response was written. Most requests end at the first line: experiments need a policy that
// has some, an account that allows them, and a request whose text is stored in full.
func (e *edge) offerSample(x *exchange, req *requestbody.Request, res *dispatch.Result) {
	if len(x.policy.Experiments) == 0 || e.Shadow == nil || !e.maySample(x, req, res) {
		return
	}
	e.Shadow.Offer(&shadow.Sample{
		RequestID: x.id, AccountID: x.principal.AccountID, KeyID: x.principal.KeyID, KeyName: x.principal.KeyName,
		Policy: x.policy, Question: &x.question, Features: x.record.Decision.Features, Request: req, ToChat: x.route.chatTranslator(),
		Served: res.Served, OutputTokens: res.Usage.Output,
		Response: func() ([]byte, bool) {
			if !req.Stream {
				return res.Response.Body, true
			}
			body, length := x.transcript.Response()
			return body, body != nil && int64(len(body)) == length
		},
	})
}

// maySample reports whether experiments may use the request. Requests that refer to state at a
// vendor, or that only an upstream of the client's protocol can serve, are not sampled.
func (e *edge) maySample(x *exchange, req *requestbody.Request, res *dispatch.Result) bool {
	return x.principal.AllowExperiments && x.capture == keys.CaptureFull && e.CaptureLimit > 0 && res.Err == nil &&
		req.Kind == catalog.Chat && x.stored == nil && len(req.NativeOnly) == 0
}

// chatTranslator returns the function that translates a request of the endpoint into a chat
// completion. It is nil for chat completions. The function fails if a chat completion cannot
// express the request, or would lose one of its tools.
func (rt *route) chatTranslator() func(body []byte) ([]byte, error) {
	if rt.protocol == nil {
		return nil
	}
	return func(body []byte) ([]byte, error) {
		req, err := rt.parse(body)
		if err != nil {
			return nil, err
		}
		t, err := rt.protocol.ToChat(req)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(t.Dropped, isTool) {
			return nil, errLosesTools
		}
		return t.Body, nil
	}
}

var errLosesTools = errors.New("a chat completion cannot express the tools of the request")

// harmlessMembers are members of the client's own tools that change how a provider reads or
// caches them, but not what the model can do.
var harmlessMembers = []string{"tools[].cache_control", "tools[].defer_loading", "tools[].eager_input_streaming", "tools[].functionDeclarations[]."}

// isTool reports whether the name of a dropped member is a tool or configures tools.
func isTool(dropped string) bool {
	return hasPrefix(dropped, "tool", "mcp_servers", "container") && !hasPrefix(dropped, harmlessMembers...)
}

func hasPrefix(name string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
