package dispatch

import (
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

// StoredResponse is the stored response that a request continues. Only the provider and the
// credential that stored it can serve the request. The methods of a nil StoredResponse do nothing.
type StoredResponse struct {
	// ID is the id that the client has sent.
	ID string
	// Claim is its content. The caller has checked it.
	Claim storedid.Claim
}

// checkIssuer fails for another provider than the one that stores the response. The decision
// excludes other providers, unless an older router made it.
func (s *StoredResponse) checkIssuer(providerName string) error {
	if s == nil || s.Claim.Provider == providerName {
		return nil
	}
	return apperr.New(apperr.UnsupportedParameter, "the request continues a response that is stored at provider "+s.Claim.Provider).
		With("param", "previous_response_id").With("issuer", s.Claim.Provider)
}

// referTo makes the call use the credential of the stored response and the upstream's id.
func (s *StoredResponse) referTo(call *provider.Call) (err error) {
	if s == nil {
		return nil
	}
	call.Pin = s.Claim.Fingerprint
	call.Request, err = requestbody.ReplacePreviousResponse(call.Request, s.Claim.UpstreamID)
	return err
}

// explainError returns the error for a client that has sent the id as previous_response_id.
func (s *StoredResponse) explainError(err error) error {
	if err = s.ExplainError(err); apperr.Is(err, apperr.ObjectNotFound) {
		return apperr.From(err).With("param", "previous_response_id")
	}
	return err
}

// ExplainError returns the error for the client. The upstream's id in a text becomes the id that
// the client has sent.
func (s *StoredResponse) ExplainError(err error) error {
	if s == nil || err == nil {
		return err
	}
	e := apperr.From(err)
	if isNotFound(e) {
		return provider.ObjectNotFound("provider "+s.Claim.Provider+" does not have it, or has deleted it").
			With("upstream_status", e.Details["upstream_status"]).WithCause(err)
	}
	if !strings.Contains(e.Message, s.Claim.UpstreamID) {
		return err
	}
	clean := e.With("upstream_message", s.hideUpstreamID(e.Message))
	clean.Message = s.hideUpstreamID(e.Message)
	return clean
}

func (s *StoredResponse) hideUpstreamID(text string) string {
	return strings.ReplaceAll(text, s.Claim.UpstreamID, s.ID)
}

// isNotFound reports whether the upstream does not have the stored response. A status of 404 can
// also concern the model.
func isNotFound(e *apperr.Error) bool {
	code, _ := e.Details["upstream_code"].(string)
	return code == "previous_response_not_found" || e.Details["upstream_status"] == 404 && !strings.Contains(code, "model")
}

// explainNoFallback adds to the error of a failed request why no other provider was called.
func (s *StoredResponse) explainNoFallback(err error) error {
	e := apperr.From(err)
	if s == nil || e == nil || !mayFallBackAfter(e.Code) {
		return err
	}
	e = e.With("issuer", s.Claim.Provider)
	e.Message += "; no other provider can take over, because the request continues a response that is stored at " + s.Claim.Provider
	return e
}

// mayFallBackAfter reports whether another provider could otherwise take over after such an error.
func mayFallBackAfter(code apperr.Code) bool {
	switch code {
	case apperr.Internal, apperr.UnsupportedParameter, apperr.ContextLengthExceeded, apperr.ProviderInterrupted:
		return false
	}
	return policy.FailureForCode(code) != ""
}

// wrapID returns the id that the client gets for an object that the upstream has stored.
func (a *attempt) wrapID(upstreamID string) (string, bool) {
	return a.signer.Wrap(storedid.Response, a.job.Account, upstreamID)
}
