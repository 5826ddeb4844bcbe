package policies

import (
	"net/http"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// wordsJSON is what an editor can propose. In paths, * is any name and [] any item of a list.
type wordsJSON struct {
	Fields    map[string][]string `json:"fields"`
	Values    map[string][]string `json:"values"`
	Models    []string            `json:"models"`
	Providers []string            `json:"providers"`
}

// apiGetWords returns the words of the policy format.
func (s *API) apiGetWords(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	if _, err := httpapi.ParseParams(r); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, wordsJSON(policy.KnownWords(s.Catalog)))
}
