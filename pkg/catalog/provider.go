package catalog

import "fmt"

// Provider is an upstream known by name, so that a policy needs to say little
// about it.
type Provider struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	BaseURL string `json:"base_url,omitempty"`
	// Env is the variable that usually holds its credential.
	Env string `json:"env,omitempty"`
	// Wire is how it deviates from the format of its kind; nil when it does not.
	Wire *Wire `json:"wire,omitempty"`
}

func (c *Catalog) checkProviders() []error {
	var errs []error
	seen := map[string]bool{}
	for _, p := range c.providers {
		if p.ID == "" || p.Kind == "" || seen[p.ID] {
			errs = append(errs, fmt.Errorf("provider %q: want one entry with an id and a kind", p.ID))
		}
		if err := checkWire(p.Wire); err != nil {
			errs = append(errs, fmt.Errorf("provider %q: %w", p.ID, err))
		}
		seen[p.ID] = true
	}
	return errs
}
