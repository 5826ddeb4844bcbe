package catalog

import "fmt"

// Provider is a well-known upstream. A policy can refer to it by its id.
type Provider struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	BaseURL string `json:"base_url,omitempty"`
	// CredentialEnv is the environment variable that usually contains the credential.
	CredentialEnv string `json:"env,omitempty"`
	// Wire describes how the provider deviates from the wire format of its kind. It is
	// nil if there are no deviations.
	Wire *Wire `json:"wire,omitempty"`
	// Cache describes the provider's prompt cache where it differs from the default of its
	// kind. It is nil if it does not differ.
	Cache *Cache `json:"cache,omitempty"`
}

func (c *Catalog) checkProviders() []error {
	var errs []error
	seen := map[string]bool{}
	for _, p := range c.providers {
		if p.ID == "" || p.Kind == "" || seen[p.ID] {
			errs = append(errs, fmt.Errorf("provider %q: id or kind is missing, or the id is not unique", p.ID))
		}
		if err := checkWire(p.Wire); err != nil {
			errs = append(errs, fmt.Errorf("provider %q: %w", p.ID, err))
		}
		if err := p.Cache.check(); err != nil {
			errs = append(errs, fmt.Errorf("provider %q: %w", p.ID, err))
		}
		seen[p.ID] = true
	}
	return errs
}
