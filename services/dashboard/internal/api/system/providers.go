package system

import (
	"net/http"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

type endpointHealthJSON struct {
	Provider    string  `json:"provider"`
	Model       string  `json:"model"`
	Succeeded   int64   `json:"succeeded"`
	Failed      int64   `json:"failed"`
	LastCode    *string `json:"last_code"`
	LastFailure *string `json:"last_failure"`
	// Down says why the endpoint's circuit breaker is open; null if it is closed.
	// Routing excludes an endpoint whose breaker is open.
	Down *string `json:"down"`
	// FirstToken is the average time to the first token of recent streamed responses.
	FirstToken *int64 `json:"first_token_us"`
}

// credentialJSON is how many proxies have a provider credential. It contains no secret.
type credentialJSON struct {
	Provider string `json:"provider"`
	// Name is the reference, such as env:OPENAI_API_KEY.
	Name     string `json:"name"`
	Present  int32  `json:"present"`
	Missing  int32  `json:"missing"`
	Rejected int32  `json:"rejected"`
}

func toCredentialJSON(c *routerv1.CredentialStatus) credentialJSON {
	return credentialJSON{Provider: c.GetProvider(), Name: c.GetName(), Present: c.GetPresent(), Missing: c.GetMissing(), Rejected: c.GetRejected()}
}

func (s *API) apiListProviders(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	resp, err := s.Router.Status(r.Context(), &routerv1.StatusRequest{})
	items := jsonvalue.ConvertAll(resp.GetCandidates(), func(t *routerv1.CandidateStatus) endpointHealthJSON {
		return endpointHealthJSON{
			Provider: t.GetCandidate().GetProvider(), Model: t.GetCandidate().GetModel(),
			Succeeded: t.GetSucceeded(), Failed: t.GetFailed(),
			LastCode: jsonvalue.NullIfZero(t.GetLastCode()), LastFailure: jsonvalue.FormatTimestamp(t.GetLastFailure()),
			Down: jsonvalue.NullIfZero(t.GetDown()), FirstToken: jsonvalue.NullIfZero(t.GetFirstTokenUs()),
		}
	})
	health := map[string]any{
		"policy_version": resp.GetPolicyVersion(), "items": items,
		"drains":      jsonvalue.ConvertAll(resp.GetDrains(), toDrainJSON),
		"credentials": jsonvalue.ConvertAll(resp.GetCredentials(), toCredentialJSON),
	}
	return httpapi.WriteResult(w, http.StatusOK, health, httpapi.ToRouterError(err))
}
