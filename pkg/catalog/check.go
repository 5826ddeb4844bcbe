package catalog

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// maxContext exceeds any context window. A larger value is probably in the wrong unit.
const maxContext = 20_000_000

// checkModel reports invalid and implausible values of a model.
func (c *Catalog) checkModel(m *Entry) error {
	var errs []error
	report := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if m.ID == "" || m.Kind != Chat && m.Kind != Embeddings || len(m.Endpoints) == 0 {
		report("id, kind or endpoints are missing or invalid")
	}
	if m.OutputLength < 0 || m.OutputLength > maxContext {
		report("implausible output_length: %d tokens", m.OutputLength)
	}
	if m.Context <= 0 || m.Context > maxContext || m.MaxOutput < 0 || m.MaxOutput > maxContext {
		report("implausible context or max_output: %d and %d tokens", m.Context, m.MaxOutput)
	}
	for topic, q := range m.Quality {
		if q < 0 || q > 1000 {
			report("quality of %s is %d, but must be from 0 to 1000", topic, q)
		}
	}
	errs = append(errs, m.validate(), checkCapabilities(m.Capabilities, m.Unknown), c.checkPrices(m.Kind, m.Prices))
	for i := range m.Endpoints {
		if err := c.checkEndpoint(m, &m.Endpoints[i]); err != nil {
			report("at %q: %w", m.Endpoints[i].Provider, err)
		}
	}
	return errors.Join(append(errs, m.checkPeers())...)
}

func (c *Catalog) checkEndpoint(m *Entry, e *Endpoint) error {
	if _, ok := c.Provider(e.Provider); !ok || e.Model == "" {
		return errors.New("provider is unknown or model is missing")
	}
	if e.Context < 0 || e.Context > maxContext || e.MaxOutput < 0 || e.MaxOutput > maxContext {
		return fmt.Errorf("implausible context or max_output: %d and %d tokens", e.Context, e.MaxOutput)
	}
	if !slices.Contains([]string{"", "high", "medium", "low"}, e.Confidence) {
		return fmt.Errorf("unknown confidence %q", e.Confidence)
	}
	return errors.Join(checkWire(e.Wire), checkCapabilities(e.Lacks, e.Unknown), c.checkPrices(m.Kind, e.Prices))
}

func checkWire(w *Wire) error {
	if w == nil {
		return nil
	}
	if err := w.Check(); err != nil {
		return fmt.Errorf("wire: %w", err)
	}
	return nil
}

func checkCapabilities(lists ...[]Capability) error {
	all := slices.Concat(lists...)
	for i, have := range all {
		if !slices.Contains(Capabilities(), have) {
			return fmt.Errorf("unknown capability %q", have)
		}
		if slices.Contains(all[:i], have) {
			return fmt.Errorf("capability %q is listed twice", have)
		}
	}
	return nil
}

func (l *Lifecycle) validate() error {
	if !slices.Contains([]Status{"", StatusActive, StatusPreview, StatusDeprecated}, l.Status) {
		return fmt.Errorf("unknown status %q", l.Status)
	}
	for _, day := range []string{l.Released, l.Retires} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return fmt.Errorf("%q is not a date", day)
		}
	}
	return nil
}

// checkUniqueNames reports names that stand for more than one model.
func (c *Catalog) checkUniqueNames() []error {
	var errs []error
	seen := map[string]string{}
	for _, m := range c.models {
		for _, name := range append([]string{m.ID}, m.Aliases...) {
			if other, taken := seen[name]; taken {
				errs = append(errs, fmt.Errorf("model %q: the name %q also belongs to model %q", m.ID, name, other))
			}
			seen[name] = m.ID
		}
	}
	return errs
}
