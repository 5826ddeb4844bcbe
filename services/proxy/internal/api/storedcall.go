package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/responses"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// storedActions lists the methods of stored responses, by the part of the path after the id.
var storedActions = map[string]route{
	"":            {method: http.MethodGet, otherMethod: http.MethodDelete},
	"input_items": {method: http.MethodGet},
	"cancel":      {method: http.MethodPost},
}

// findStoredRoute returns the endpoint for a path such as ID or ID/input_items, or nil.
func findStoredRoute(rest string) *route {
	id, action, _ := strings.Cut(rest, "/")
	rt, ok := storedActions[action]
	if !ok || id == "compact" || id == "input_tokens" {
		return nil // OpenAI has endpoints of these names, which are no ids
	}
	id = unescapePath(id)
	rt.scope, rt.protocol, rt.name = scopeChat, responses.Protocol{}, requestbody.Responses
	rt.serve = func(e *edge, x *exchange) { e.serveStored(x, id, action) }
	return &rt
}

// serveStored forwards a call about a stored response to the provider that stores it. The request
// counts against the limits of requests. It costs nothing and is not recorded.
func (e *edge) serveStored(x *exchange, id, action string) {
	body, err := e.callStored(x, id, action)
	if err != nil {
		e.rejectUnrecorded(x, err)
		return
	}
	x.sendBody(body, ledger.Amount{})
}

func (e *edge) callStored(x *exchange, id, action string) ([]byte, error) {
	err := e.admit(x, x.route.scope)
	x.record = nil
	if err != nil {
		return nil, err
	}
	if err := e.enterLimits(x); err != nil {
		return nil, err
	}
	query, err := storedQuery(x.r.URL)
	if err != nil {
		return nil, err
	}
	claim, store, err := e.openResponse(x, id)
	if err != nil {
		return nil, err
	}
	response, err := e.sendStored(x, store, provider.StoredCall{Method: x.r.Method, Object: claim, Action: action, Query: query})
	if err != nil {
		return nil, (&dispatch.StoredResponse{ID: id, Claim: claim}).ExplainError(err)
	}
	x.setHeader("X-Signalbox-Provider", claim.Provider)
	return wrapStored(x, response)
}

// wrapStored returns the provider's response with the ids that the client may see.
func wrapStored(x *exchange, response *provider.Response) ([]byte, error) {
	body, ok := responses.WrapStored(response.Body, inbound.Options{WrapID: func(id string) (string, bool) {
		return response.Signer.Wrap(storedid.Response, x.principal.AccountID, id)
	}})
	if !ok {
		return nil, upstreamerror.InvalidResponse("not a JSON object")
	}
	return body, nil
}

// sendStored makes the call. The provider has as much time as for a first token. Breakers do not
// apply: they describe the health of models, and no other provider has the object.
func (e *edge) sendStored(x *exchange, store provider.ObjectStore, call provider.StoredCall) (*provider.Response, error) {
	p, ok := e.Router.Policy().Provider(call.Object.Provider)
	if !ok { // a policy without the provider became active a moment ago
		return nil, provider.ObjectNotFound("its provider was removed")
	}
	ctx, stop := e.untilRevoked(x)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, p.Timeouts.FirstToken)
	defer cancel()
	response, err := store.CallStored(ctx, call)
	if isStale(err) && call.Method == http.MethodGet {
		response, err = store.CallStored(ctx, call)
	}
	if cause, ok := errors.AsType[*apperr.Error](context.Cause(ctx)); ok && err != nil {
		return nil, cause
	}
	return response, x.orCancelled(err)
}

// isStale reports whether a reused connection was lost. Only a call that changes nothing is made
// again: the provider may have executed it.
func isStale(err error) bool {
	repeat, ok := errors.AsType[*provider.RepeatError](err)
	return ok && repeat.Reason == provider.StaleConnection
}

// storedParams lists the query parameters that the provider receives. Any other part of a query may
// contain a key.
var storedParams = []string{"include", "include[]", "include_obfuscation", "after", "before", "limit", "order"}

func storedQuery(u *url.URL) (string, error) {
	sent, forwarded := u.Query(), url.Values{}
	if sent.Get("stream") == "true" {
		return "", apperr.New(apperr.UnsupportedParameter, "stored responses are not streamed; remove stream").With("param", "stream")
	}
	for _, name := range storedParams {
		if v := sent[name]; len(v) > 0 {
			forwarded[name] = v
		}
	}
	return forwarded.Encode(), nil
}
