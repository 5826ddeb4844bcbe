package policies

import (
	"errors"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// apiMoveRule returns a document with a rule at another position. It changes no policy.
func (s *API) apiMoveRule(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	var body struct {
		Document string `json:"document"`
		Route    string `json:"route"`
		From     int    `json:"from"`
		To       int    `json:"to"`
	}
	if err := httpapi.ReadJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	document, err := policy.MoveRule(body.Document, body.Route, body.From, body.To)
	return writeDocument(w, document, err)
}

// apiAddRule returns a document with a further rule. It changes no policy.
func (s *API) apiAddRule(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	var body struct {
		Document string `json:"document"`
		Route    string `json:"route"`
		At       int    `json:"at"`
		Rule     string `json:"rule"`
	}
	if err := httpapi.ReadJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	document, err := policy.AddRule(body.Document, body.Route, body.At, body.Rule)
	return writeDocument(w, document, err)
}

func writeDocument(w http.ResponseWriter, document string, err error) error {
	if problems, ok := errors.AsType[policy.Problems](err); ok {
		return apperr.New(apperr.PolicyInvalid, "the policy document is not valid").With("problems", problems)
	}
	if err != nil {
		return apperr.New(apperr.InvalidRequest, err.Error())
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"document": document, "rules": writtenRules(document)})
}
