package catalog

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// embedded is the catalog that ships. A provider that speaks a known wire
// format is one entry in it, and nothing else.
//
//go:embed models.json
var embedded []byte

// Endpoint is a place that serves a model, by the provider's id and the
// provider's own name of the model.
type Endpoint struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// Entry is a model of the catalog with the places that serve it. What a place
// sells at another price is another entry.
type Entry struct {
	Model
	Endpoints []Endpoint
}

// Catalog is the models and providers known to this build. It never changes
// and is safe for concurrent use; callers must not change what it returns.
type Catalog struct {
	version   string
	providers []Provider
	models    []Entry
}

// Load reads the embedded catalog. It fails only if the build is broken.
func Load() (*Catalog, error) { return Parse(embedded) }

// Parse reads a catalog strictly: an unknown field, a double id, a missing
// price or an endpoint at an unknown provider is an error.
func Parse(data []byte) (*Catalog, error) {
	var f file
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read catalog: more than one value")
	}
	sum := sha256.Sum256(data)
	c := &Catalog{version: hex.EncodeToString(sum[:6]), providers: f.Providers}
	errs := c.checkProviders()
	for _, m := range f.Models {
		errs = append(errs, c.addModel(m))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	return c, nil
}

// file is models.json.
type file struct {
	Providers []Provider  `json:"providers"`
	Models    []fileModel `json:"models"`
}

// fileModel hides the prices of Model behind its own, which tell a price that
// is not written from one that is nothing.
type fileModel struct {
	Model
	Prices    []filePrice `json:"prices"`
	Endpoints []Endpoint  `json:"endpoints"`
}

type filePrice struct {
	Effective  time.Time `json:"effective"`
	Input      *int64    `json:"input"`
	CacheRead  *int64    `json:"cache_read"`
	CacheWrite *int64    `json:"cache_write"`
	Output     *int64    `json:"output"`
}

func (c *Catalog) checkProviders() []error {
	var errs []error
	seen := map[string]bool{}
	for _, p := range c.providers {
		if p.ID == "" || p.Kind == "" || seen[p.ID] {
			errs = append(errs, fmt.Errorf("provider %q: want one entry with an id and a kind", p.ID))
		}
		seen[p.ID] = true
	}
	return errs
}

func (c *Catalog) addModel(f fileModel) error {
	if _, double := c.Model(f.ID); f.ID == "" || double {
		return fmt.Errorf("model %q: want one entry with an id", f.ID)
	}
	if f.Kind != Chat && f.Kind != Embeddings || f.Context <= 0 || len(f.Endpoints) == 0 {
		return fmt.Errorf("model %q: want a kind, a context and an endpoint", f.ID)
	}
	for _, have := range f.Capabilities {
		if !slices.Contains(Capabilities(), have) {
			return fmt.Errorf("model %q: unknown capability %q", f.ID, have)
		}
	}
	for _, e := range f.Endpoints {
		if _, ok := c.Provider(e.Provider); !ok || e.Model == "" {
			return fmt.Errorf("model %q: endpoint at unknown provider %q", f.ID, e.Provider)
		}
	}
	prices, err := readPrices(f.Prices)
	if err != nil {
		return fmt.Errorf("model %q: %w", f.ID, err)
	}
	f.Model.Prices = prices
	c.models = append(c.models, Entry{Model: f.Model, Endpoints: f.Endpoints})
	return nil
}

// readPrices charges a cached token like any other where a provider lists no
// price of its own for it.
func readPrices(list []filePrice) ([]Price, error) {
	var prices []Price
	for _, f := range list {
		if f.Input == nil || f.Output == nil || f.Effective.IsZero() {
			return nil, errors.New("a price needs effective, input and output")
		}
		p := Price{Effective: f.Effective.UTC(), Input: *f.Input, CacheRead: *f.Input, CacheWrite: *f.Input, Output: *f.Output}
		if f.CacheRead != nil {
			p.CacheRead = *f.CacheRead
		}
		if f.CacheWrite != nil {
			p.CacheWrite = *f.CacheWrite
		}
		if min(p.Input, p.CacheRead, p.CacheWrite, p.Output) < 0 {
			return nil, errors.New("a price below zero")
		}
		if n := len(prices); n > 0 && !prices[n-1].Effective.Before(p.Effective) {
			return nil, errors.New("prices must be in the order of their dates")
		}
		prices = append(prices, p)
	}
	return prices, nil
}
