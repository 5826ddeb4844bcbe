package policies

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// supportedJSON is a provider of the catalog or of the active policy.
type supportedJSON struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Variable is the environment variable that usually contains the credential.
	Variable *string `json:"variable"`
	// BaseURL is null if each installation has its own address.
	BaseURL *string `json:"base_url"`
	// Models is how many models of the catalog the provider serves.
	Models     int  `json:"models"`
	Configured bool `json:"configured"`
	// Credentials are references, such as env:NAME. They are not secret.
	Credentials []string `json:"credentials"`
}

// apiListSupportedProviders lists the providers of the catalog, and those that only the
// active policy has. Configured ones come first.
func (s *API) apiListSupportedProviders(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	p, err := s.ActivePolicy(r.Context())
	if err != nil {
		return err
	}
	items := s.supportedProviders(p)
	slices.SortFunc(items, func(a, b supportedJSON) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID))
	})
	return httpapi.WriteItems(w, items, nil)
}

func rank(p supportedJSON) int {
	if p.Configured {
		return 0
	}
	return 1
}

func (s *API) supportedProviders(p *policy.Policy) []supportedJSON {
	models := s.countModels()
	var items []supportedJSON
	for i := range p.Providers {
		own := &p.Providers[i]
		known, _ := s.Catalog.Provider(own.Name)
		j := supportedJSON{
			ID: own.Name, Kind: own.Kind, Variable: jsonvalue.NullIfZero(known.CredentialEnv), BaseURL: jsonvalue.NullIfZero(own.BaseURL),
			Models: models[own.Name], Configured: true, Credentials: []string{},
		}
		for _, k := range own.Keys {
			j.Credentials = append(j.Credentials, k.Ref)
		}
		items = append(items, j)
	}
	for _, known := range s.Catalog.Providers() {
		if !slices.ContainsFunc(items, func(j supportedJSON) bool { return j.ID == known.ID }) {
			items = append(items, supportedJSON{
				ID: known.ID, Kind: known.Kind, Variable: jsonvalue.NullIfZero(known.CredentialEnv), BaseURL: jsonvalue.NullIfZero(known.BaseURL),
				Models: models[known.ID], Credentials: []string{},
			})
		}
	}
	return items
}

func (s *API) countModels() map[string]int {
	count := map[string]int{}
	for _, m := range s.Catalog.Models() {
		for i := range m.Endpoints {
			count[m.Endpoints[i].Provider]++
		}
	}
	return count
}
