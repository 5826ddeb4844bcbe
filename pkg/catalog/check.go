package catalog

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// maxContext is beyond any window; more is a slip of the unit.
const maxContext = 20_000_000

// check finds what cannot be true of a model, all of it.
func (c *Catalog) check(m *Entry) error {
	var errs []error
	say := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if m.ID == "" || m.Kind != Chat && m.Kind != Embeddings || len(m.Endpoints) == 0 {
		say("want an id, a kind and an endpoint")
	}
	if m.Context <= 0 || m.Context > maxContext || m.MaxOutput < 0 || m.MaxOutput > maxContext {
		say("a window of %d and %d tokens", m.Context, m.MaxOutput)
	}
	for topic, q := range m.Quality {
		if q < 0 || q > 1000 {
			say("quality of %s is %d thousandths", topic, q)
		}
	}
	errs = append(errs, m.check(), checkCapabilities(m.Capabilities, m.Unknown), c.checkPrices(m.Kind, m.Prices))
	for i := range m.Endpoints {
		if err := c.checkEndpoint(m, &m.Endpoints[i]); err != nil {
			say("at %q: %w", m.Endpoints[i].Provider, err)
		}
	}
	return errors.Join(append(errs, m.checkPeers())...)
}

func (c *Catalog) checkEndpoint(m *Entry, e *Endpoint) error {
	if _, ok := c.Provider(e.Provider); !ok || e.Model == "" {
		return errors.New("unknown provider, or no name of the model there")
	}
	if e.Context < 0 || e.Context > maxContext || e.MaxOutput < 0 || e.MaxOutput > maxContext {
		return fmt.Errorf("a window of %d and %d tokens", e.Context, e.MaxOutput)
	}
	if !slices.Contains([]string{"", "high", "medium", "low"}, e.Confidence) {
		return fmt.Errorf("confidence %q", e.Confidence)
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

func (l *Lifecycle) check() error {
	if !slices.Contains([]Status{"", StatusActive, StatusPreview, StatusDeprecated}, l.Status) {
		return fmt.Errorf("status %q", l.Status)
	}
	for _, day := range []string{l.Released, l.Retires} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return fmt.Errorf("%q is not a day", day)
		}
	}
	return nil
}

// checkNames makes sure that a name leads to one model alone.
func (c *Catalog) checkNames() []error {
	var errs []error
	seen := map[string]string{}
	for _, m := range c.models {
		for _, name := range append([]string{m.ID}, m.Aliases...) {
			if other, taken := seen[name]; taken {
				errs = append(errs, fmt.Errorf("model %q: the name %q is also of %q", m.ID, name, other))
			}
			seen[name] = m.ID
		}
	}
	return errs
}
