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
)

// The catalog that ships. A provider that speaks a known wire format is one
// entry in providers.json, and nothing else.
var (
	//go:embed providers.json
	shippedProviders []byte
	//go:embed models.json
	shippedModels []byte
)

// Catalog is the models and providers known to this build. It never changes
// and is safe for concurrent use; callers must not change what it returns.
type Catalog struct {
	version   string
	providers []Provider
	sources   []Source
	models    []Entry
	// byID and byPlace are positions of models.
	byID    map[string]int
	byPlace map[[2]string]int
}

// Load reads the catalog that ships. It fails only if the build is broken.
func Load() (*Catalog, error) { return Parse(shippedProviders, shippedModels) }

// Parse reads a catalog strictly: an unknown field, a double name, a price that
// cannot be true or an endpoint at an unknown provider is an error, and names
// the entry. All of them are reported.
func Parse(providers, models []byte) (*Catalog, error) {
	sum := sha256.Sum256(slices.Concat(providers, models))
	c := &Catalog{version: hex.EncodeToString(sum[:6]), byID: map[string]int{}, byPlace: map[[2]string]int{}}
	var f file
	errs := []error{decode(providers, &c.providers), decode(models, &f)}
	c.sources = f.Sources
	errs = append(errs, c.checkProviders()...)
	for _, m := range f.Models {
		errs = append(errs, c.addModel(m))
	}
	errs = append(errs, c.checkKinds()...)
	errs = append(errs, c.checkNames()...)
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	return c, nil
}

func decode(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// file is models.json.
type file struct {
	Sources []Source    `json:"sources"`
	Models  []fileModel `json:"models"`
}

// fileModel and fileEndpoint hide prices behind their own, which tell a price
// that is not written from one that is nothing.
type fileModel struct {
	Model
	About
	Prices    []filePrice    `json:"prices"`
	Endpoints []fileEndpoint `json:"endpoints"`
}

type fileEndpoint struct {
	Endpoint
	Prices []filePrice `json:"prices"`
}

func (c *Catalog) addModel(f fileModel) error {
	entry := Entry{Model: f.Model, About: f.About}
	var err error
	if entry.Prices, err = readPrices(f.Prices); err != nil {
		return fmt.Errorf("model %q: %w", f.ID, err)
	}
	for _, e := range f.Endpoints {
		if e.Endpoint.Prices, err = readPrices(e.Prices); err != nil {
			return fmt.Errorf("model %q at %q: %w", f.ID, e.Provider, err)
		}
		entry.Endpoints = append(entry.Endpoints, e.Endpoint)
	}
	entry.Aliases = otherNames(&entry)
	c.enter(entry)
	if err := c.check(&entry); err != nil {
		return fmt.Errorf("model %q: %w", f.ID, err)
	}
	return nil
}

func (c *Catalog) enter(m Entry) {
	c.byID[m.ID] = len(c.models)
	for _, e := range m.Endpoints {
		c.byPlace[[2]string{e.Provider, e.Model}] = len(c.models)
	}
	c.models = append(c.models, m)
}

// otherNames are the written aliases and what the places call the model, with
// and without their own name in front: clients of other gateways send these.
func otherNames(m *Entry) []string {
	names := slices.Clone(m.Aliases)
	for _, e := range m.Endpoints {
		for _, name := range []string{e.Model, e.Provider + "/" + e.Model} {
			if name != m.ID && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
