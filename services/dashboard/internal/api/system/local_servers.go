package system

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// localSearchTimeout limits the whole search.
const localSearchTimeout = 5 * time.Second

// LocalServer is a model server on the machine of the proxy.
type LocalServer struct {
	// Provider is the name of the provider in the catalog, such as ollama.
	Provider string
	BaseURL  string
	// Models are the models that the server offers.
	Models []string
}

type localServerJSON struct {
	Provider string   `json:"provider"`
	BaseURL  string   `json:"base_url"`
	Models   []string `json:"models"`
}

// apiFindLocalServers looks for model servers when an operator asks. It is available only
// where the dashboard runs on the machine of the proxy.
func (s *API) apiFindLocalServers(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	items := []localServerJSON{}
	if s.LocalServers != nil {
		ctx, cancel := context.WithTimeout(r.Context(), localSearchTimeout)
		defer cancel()
		for _, found := range s.LocalServers(ctx) {
			items = append(items, localServerJSON{found.Provider, found.BaseURL, jsonvalue.OrEmpty(found.Models)})
		}
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"available": s.LocalServers != nil, "items": items})
}
