package api_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// A conversation goes on at the provider and with the credential that stored it. Without the pin,
// the key pool would alternate between the two keys, and the vendor would not find the response.
func TestAStoredResponseIsContinued(t *testing.T) {
	s := newStoreRig(t, bothKeys)
	for range 3 {
		first := s.mustCreate(t, ann, "one")
		calls := s.open.Calls()
		key := calls[len(calls)-1].Key
		for range 3 {
			status, second := s.create(t, ann, "gpt", continueFrom(first.ID))
			require.Equal(t, http.StatusOK, status, second)
			require.Equal(t, "You said: one and two", second.text())
			require.Equal(t, first.ID, second.Previous, "the client's own id")
			require.NotEqual(t, first.ID, second.ID)
			calls = s.open.Calls()
			last := calls[len(calls)-1]
			require.Equal(t, key, last.Key)
			require.Equal(t, `{"model":"gpt-5","input":"two","previous_response_id":"`+upstreamID(t, first.ID)+`"}`, last.Body, "only the model and the id are replaced")
		}
	}
	require.Empty(t, s.next.Calls())
	r := s.records[1]
	require.Equal(t, "open", r.Question.Issuer)
	require.Equal(t, decide.Candidate{Model: "gpt", Provider: "open"}, r.Served)
	require.Equal(t, decide.OtherIssuer, r.Decision.Verdicts[1].Code)
	require.Len(t, r.Decision.Plan, 1)
}

func TestStoredResponsesAreReadAndDeleted(t *testing.T) {
	s := newStoreRig(t, bothKeys)
	first := s.mustCreate(t, ann, "one")
	_, second := s.create(t, ann, "gpt", continueFrom(first.ID))
	records := len(s.records)
	for range 3 {
		res, text := s.send(t, http.MethodGet, "/proxy/v1/responses/"+second.ID+"?include[]=a&key=secret", "", ann)
		require.Equal(t, http.StatusOK, res.StatusCode, text)
		require.Equal(t, "open", res.Header.Get("X-Signalbox-Provider"))
		require.NotContains(t, text, upstreamID(t, first.ID))
		require.NotContains(t, text, upstreamID(t, second.ID))
		require.Contains(t, text, `"id":"`+second.ID+`"`)
		require.Contains(t, text, `"previous_response_id":"`+first.ID+`"`)
	}
	calls := s.open.Calls()
	require.Equal(t, "/v1/responses/"+upstreamID(t, second.ID)+"?include%5B%5D=a", calls[len(calls)-1].Path)

	status, items := s.call(t, ann, http.MethodGet, "/"+second.ID+"/input_items?limit=5", "")
	require.Equal(t, http.StatusOK, status)
	require.Len(t, items.Data, 2)
	status, cancelled := s.call(t, ann, http.MethodPost, "/"+second.ID+"/cancel", "")
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "Cannot cancel a synchronous response: '"+second.ID+"'.", cancelled.Error.Message, "the vendor's text with the client's id")

	status, deleted := s.call(t, ann, http.MethodDelete, "/"+second.ID, "")
	require.Equal(t, http.StatusOK, status)
	require.True(t, deleted.Deleted)
	require.Equal(t, second.ID, deleted.ID)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		status, gone := s.call(t, ann, method, "/"+second.ID, "")
		require.Equal(t, http.StatusNotFound, status)
		require.Equal(t, "OBJECT_NOT_FOUND", gone.Code)
	}
	require.Len(t, s.records, records, "such calls are not recorded")

	status, r := s.create(t, ann, "gpt", continueFrom(second.ID))
	require.Equal(t, http.StatusNotFound, status, r)
	require.Equal(t, "OBJECT_NOT_FOUND", r.Code)
	require.Equal(t, "previous_response_id", r.Details["param"])
	require.NotContains(t, r.Error.Message, upstreamID(t, second.ID))
	require.Equal(t, "OBJECT_NOT_FOUND", s.records[records].Code)
}

func TestIDsThatTheAccountCannotUseAreNotFound(t *testing.T) {
	s := newStoreRig(t, "{ref: env:ONE}")
	first := s.mustCreate(t, ann, "one")
	status, twin := s.create(t, ann, "only-next", `"input":"one"`)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, upstreamID(t, first.ID), upstreamID(t, twin.ID), "both vendors have this id")
	require.NotEqual(t, first.ID, twin.ID)

	s.requireNotFound(t, bob, first.ID)
	s.requireNotFound(t, ann, upstreamID(t, first.ID))
	s.requireNotFound(t, ann, first.ID[:len(first.ID)-4])
	s.requireNotFound(t, ann, first.ID+"AAAA")
	s.requireNotFound(t, ann, strings.Replace(first.ID, "resp_", "file_", 1))
	s.requireNotFound(t, ann, rewrap(t, first.ID, func(raw []byte) []byte { return bytes.Replace(raw, []byte("open"), []byte("next"), 1) }))
	s.requireNotFound(t, ann, rewrap(t, first.ID, func(raw []byte) []byte {
		raw[len(raw)-1] ^= 1
		return raw
	}))
	s.requireNotFound(t, ann, rewrap(t, first.ID, func(raw []byte) []byte {
		raw[10] ^= 1 // in the MAC
		return raw
	}))
	status, _ = s.call(t, ann, http.MethodGet, "/"+first.ID, "")
	require.Equal(t, http.StatusOK, status)
}

// No secret is distributed: what a credential has signed stays valid as long as it is configured.
func TestIDsSurviveARestart(t *testing.T) {
	s := newStoreRig(t, "{ref: env:ONE}")
	first := s.mustCreate(t, ann, "one")
	s.restart(t, "{ref: env:TWO}, {ref: env:ONE}")
	for range 3 {
		status, r := s.create(t, ann, "gpt", continueFrom(first.ID))
		require.Equal(t, http.StatusOK, status, r)
		require.Equal(t, first.ID, r.Previous)
	}
	s.requireNotFound(t, bob, first.ID)
	s.restart(t, "{ref: env:TWO}")
	s.requireNotFound(t, ann, first.ID)
}

// A retry uses the same key. Another key would not find the response.
func TestARetryKeepsTheKey(t *testing.T) {
	s := newStoreRig(t, bothKeys)
	first := s.mustCreate(t, ann, "one")
	for range 2 {
		s.open.Fail("500")
		status, r := s.create(t, ann, "gpt", continueFrom(first.ID))
		require.Equal(t, http.StatusOK, status, r)
	}
	key := s.keysAtOpen[0]
	require.Equal(t, []string{key, key, key, key, key}, s.keysAtOpen)
	require.Empty(t, s.next.Calls(), "no other provider can take over")
}

// routerWithoutIssuers is a router of an earlier version.
type routerWithoutIssuers struct{ *rig }

func (r routerWithoutIssuers) Plan(ctx context.Context, p *policy.Policy, q decide.Question, text control.Text) (control.Plan, error) {
	q.Issuer = ""
	return r.rig.Plan(ctx, p, q, text)
}

// The proxy does not call another provider even if the plan contains it.
func TestAnOlderRouterCannotMoveAStoredResponse(t *testing.T) {
	s := newStoreRig(t, bothKeys)
	s.deps.Router = routerWithoutIssuers{s.rig}
	first := s.mustCreate(t, ann, "one")
	status, r := s.create(t, ann, "gpt", continueFrom(first.ID))
	require.Equal(t, http.StatusOK, status, r)
	s.open.Fail("500")
	status, r = s.create(t, ann, "gpt", continueFrom(first.ID))
	require.Equal(t, http.StatusBadRequest, status, r)
	require.Equal(t, "open", r.Details["issuer"])
	require.Empty(t, s.next.Calls())
}

// If the key of a stored response is rejected, no other key and no other provider is called.
func TestASuspendedKeyIsNotReplaced(t *testing.T) {
	s := newStoreRig(t, bothKeys)
	first := s.mustCreate(t, ann, "one")
	before := len(s.open.Calls())
	s.open.Fail("401")
	status, r := s.create(t, ann, "gpt", continueFrom(first.ID))
	require.Equal(t, http.StatusBadGateway, status)
	require.Equal(t, "PROVIDER_AUTH_ERROR", r.Code)
	require.Equal(t, "open", r.Details["issuer"])
	require.Contains(t, r.Error.Message, "no other provider can take over, because the request continues a response that is stored at open")
	require.Len(t, s.open.Calls(), before+1)

	status, r = s.create(t, ann, "gpt", continueFrom(first.ID))
	require.Equal(t, http.StatusBadGateway, status)
	require.Contains(t, r.Error.Message, "rejects the key with which the object was stored, and no other key can be used")
	status, r = s.call(t, ann, http.MethodGet, "/"+first.ID, "")
	require.Equal(t, http.StatusBadGateway, status)
	require.Contains(t, r.Error.Message, "no other key can be used")
	require.Len(t, s.open.Calls(), before+1, "no call with another key")
	require.Empty(t, s.next.Calls())
	status, _ = s.create(t, ann, "gpt", `"input":"new"`)
	require.Equal(t, http.StatusOK, status, "new conversations use the other key")
}

// All events have the wrapper, and no event has the vendor's id.
func TestStreamsHaveWrappers(t *testing.T) {
	s := newStoreRig(t, bothKeys)
	first := s.mustCreate(t, ann, "one")
	res, text := s.send(t, http.MethodPost, "/proxy/v1/responses", `{"model":"auto","stream":true,`+continueFrom(first.ID)+`}`, ann)
	require.Equal(t, http.StatusOK, res.StatusCode, text)
	_, after, _ := strings.Cut(text, `"id":"resp_`)
	id, _, _ := strings.Cut(after, `"`)
	id = "resp_" + id
	require.Equal(t, 3, strings.Count(text, `"id":"`+id+`"`), text)
	require.Equal(t, 3, strings.Count(text, `"previous_response_id":"`+first.ID+`"`), text)
	require.NotContains(t, text, upstreamID(t, id))
	require.NotContains(t, text, upstreamID(t, first.ID))
	status, r := s.call(t, ann, http.MethodGet, "/"+id, "")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "You said: one and two", r.text())
}

// The vendor stores a response even if its connection breaks. The client can still read it.
func TestABrokenStreamCanBeRead(t *testing.T) {
	s := newStoreRig(t, bothKeys)
	s.open.Fail("cut=2600")
	_, text := s.send(t, http.MethodPost, "/proxy/v1/responses", `{"model":"gpt","stream":true,"input":"a longer text, so that the break is inside it, and not at its end"}`, ann)
	require.Contains(t, text, "event: response.failed")
	_, after, _ := strings.Cut(text, `"id":"resp_`)
	id, _, _ := strings.Cut(after, `"`)
	require.Equal(t, 3, strings.Count(text, `"id":"resp_`+id+`"`), "created, in_progress and failed: %s", text)
	s.restart(t, bothKeys)
	status, r := s.call(t, ann, http.MethodGet, "/resp_"+id, "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, r.text(), "You said: a longer text")
}

func TestResponsesThatAreNotStored(t *testing.T) {
	s := newStoreRig(t, "{ref: env:ONE}")
	status, r := s.create(t, ann, "gpt", `"input":"one","store":false`)
	require.Equal(t, http.StatusOK, status)
	require.False(t, r.Store)
	require.Regexp(t, `^resp_[0-9]{18}$`, r.ID, "the vendor's id")
	s.requireNotFound(t, ann, r.ID)

	first := s.mustCreate(t, ann, "one")
	_, r = s.create(t, ann, "gpt", `"store":false,`+continueFrom(first.ID))
	require.Equal(t, first.ID, r.Previous, "the stored response keeps the client's id")

	status, r = s.create(t, ann, "plain", `"input":"one"`)
	require.Equal(t, http.StatusOK, status, r)
	require.False(t, r.Store, "a translated response")
	s.requireNotFound(t, ann, r.ID)
	_, r = s.create(t, ann, "gpt", continueFrom(r.ID))
	require.Contains(t, r.Error.Message, "does not speak the Responses protocol")
	require.Contains(t, r.Error.Message, "send the whole conversation in input instead")
}

// The requested model must be available at the provider that stores the response.
func TestTheIssuerMustServeTheModel(t *testing.T) {
	s := newStoreRig(t, "{ref: env:ONE}")
	first := s.mustCreate(t, ann, "one")
	before := len(s.open.Calls())
	for _, model := range []string{"only-next", "plain"} {
		status, r := s.create(t, ann, model, continueFrom(first.ID))
		require.Equal(t, http.StatusBadRequest, status)
		require.Equal(t, "UNSUPPORTED_PARAMETER", r.Code)
		require.Equal(t, "open", r.Details["issuer"])
	}
	require.Len(t, s.open.Calls(), before)
	require.Empty(t, s.next.Calls())
}

func TestCallsOfStoredResponsesAreLimited(t *testing.T) {
	s := newStoreRig(t, "{ref: env:ONE}")
	first := s.mustCreate(t, ann, "one")
	res, text := s.send(t, http.MethodPut, "/proxy/v1/responses/"+first.ID, "", ann)
	require.Equal(t, http.StatusMethodNotAllowed, res.StatusCode, text)
	require.Equal(t, "GET, DELETE", res.Header.Get("Allow"))
	res, _ = s.send(t, http.MethodGet, "/proxy/v1/responses/"+first.ID, "")
	require.Equal(t, http.StatusUnauthorized, res.StatusCode)
	for _, path := range []string{"/compact", "/input_tokens", "/" + first.ID + "/other"} {
		status, r := s.call(t, ann, http.MethodPost, path, "{}")
		require.Equal(t, http.StatusNotFound, status)
		require.Equal(t, "ENDPOINT_NOT_FOUND", r.Code)
	}
	status, r := s.call(t, ann, http.MethodGet, "/"+first.ID+"?stream=true", "")
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "stream", r.Details["param"])

	s.scopes = []string{"embeddings"}
	status, r = s.call(t, ann, http.MethodGet, "/"+first.ID, "")
	require.Equal(t, http.StatusForbidden, status)
	require.Equal(t, "AUTH_FORBIDDEN", r.Code)
	s.scopes, s.limits = nil, limits.Set{RequestsPerMinute: 1}
	status, _ = s.call(t, ann, http.MethodDelete, "/"+first.ID, "")
	require.Equal(t, http.StatusOK, status)
	status, r = s.call(t, ann, http.MethodGet, "/"+first.ID, "")
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Equal(t, "RATE_LIMIT_EXCEEDED", r.Code)
	require.Len(t, s.records, 1)
	require.Equal(t, ledger.OK, s.records[0].Outcome)
}

// A vendor that fails or does not respond leads to an error, not to a call of another provider.
func TestFailedCallsOfStoredResponses(t *testing.T) {
	s := newStoreRig(t, bothKeys)
	first := s.mustCreate(t, ann, "one")
	for fault, code := range map[string]string{"500": "PROVIDER_UPSTREAM_ERROR", "garbage": "PROVIDER_INVALID_RESPONSE", "429": "PROVIDER_RATE_LIMITED"} {
		s.restart(t, bothKeys)
		s.open.Fail(fault)
		_, r := s.call(t, ann, http.MethodGet, "/"+first.ID, "")
		require.Equal(t, code, r.Code, fault)
	}
	s.firstToken = "100ms"
	s.restart(t, bothKeys)
	s.open.Fail("hang")
	status, r := s.call(t, ann, http.MethodGet, "/"+first.ID, "")
	require.Equal(t, http.StatusGatewayTimeout, status)
	require.Equal(t, "PROVIDER_TIMEOUT", r.Code)
	require.Empty(t, s.next.Calls())
}

// Reading is repeated on a new connection. Deleting is not: the vendor may have deleted the response.
func TestOnlyReadingIsRepeated(t *testing.T) {
	s := newStoreRig(t, bothKeys)
	first := s.mustCreate(t, ann, "one")
	s.drops.Store(1)
	status, r := s.call(t, ann, http.MethodGet, "/"+first.ID, "")
	require.Equal(t, http.StatusOK, status, r)
	s.drops.Store(1)
	status, r = s.call(t, ann, http.MethodDelete, "/"+first.ID, "")
	require.Equal(t, http.StatusBadGateway, status)
	require.Equal(t, "PROVIDER_CONNECTION_ERROR", r.Code)
	require.Len(t, s.open.Calls(), 2)
}
