package catalog

import "fmt"

// Provider is a well-known upstream, so that a policy can refer to it by name.
type Provider struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	BaseURL string `json:"base_url,omitempty"`
	// CredentialEnv is the environment variable that usually holds its credential.
	CredentialEnv string `json:"env,omitempty"`
	// Wire describes deviations from the wire format of the kind; nil means none.
	Wire *Wire `json:"wire,omitempty"`
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
		seen[p.ID] = true
	}
	return errs
}
