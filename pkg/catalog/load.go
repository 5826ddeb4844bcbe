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
	"sync"
)

// The embedded catalog. A new provider with a supported wire format needs only an entry
// in providers.json.
var (
	//go:embed providers.json
	shippedProviders []byte
	//go:embed models.json
	shippedModels []byte
)

// Catalog holds models and providers. It is immutable and safe for concurrent use.
// Callers must not change the values that it returns.
type Catalog struct {
	version   string
	providers []Provider
	sources   []Source
	models    []Entry
	// byID and byEndpoint map keys to indexes of models. The key of byEndpoint is a
	// provider and the provider's name for the model.
	byID       map[string]int
	byEndpoint map[[2]string]int
}

// Load returns the embedded catalog, which callers must not change. It reads the files once,
// because the services of one process and many tests need it. It fails only if the embedded
// files are invalid.
var Load = sync.OnceValues(func() (*Catalog, error) { return Parse(shippedProviders, shippedModels) })

// Parse reads and checks a catalog. Unknown fields, duplicate names, implausible prices
// and endpoints at unknown providers are errors. Parse checks all entries and returns
// their errors together.
func Parse(providers, models []byte) (*Catalog, error) {
	sum := sha256.Sum256(slices.Concat(providers, models))
	c := &Catalog{version: hex.EncodeToString(sum[:6]), byID: map[string]int{}, byEndpoint: map[[2]string]int{}}
	var f file
	errs := []error{decodeStrict(providers, &c.providers), decodeStrict(models, &f)}
	c.sources = f.Sources
	errs = append(errs, c.checkProviders()...)
	for _, m := range f.Models {
		errs = append(errs, c.addModel(m))
	}
	errs = append(errs, c.comparePricesByKind()...)
	errs = append(errs, c.checkUniqueNames()...)
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	return c, nil
}

func decodeStrict(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("file contains more than one JSON value")
	}
	return nil
}

// file is the format of models.json.
type file struct {
	Sources []Source    `json:"sources"`
	Models  []fileModel `json:"models"`
}

// fileModel is a model in models.json. Its prices have the type filePrice, which
// distinguishes a missing amount from an amount of zero.
type fileModel struct {
	Model
	ModelInfo
	Prices    []filePrice    `json:"prices"`
	Endpoints []fileEndpoint `json:"endpoints"`
}

type fileEndpoint struct {
	Endpoint
	Prices []filePrice `json:"prices"`
}

func (c *Catalog) addModel(f fileModel) error {
	entry := Entry{Model: f.Model, ModelInfo: f.ModelInfo}
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
	entry.Aliases = collectAliases(&entry)
	c.appendModel(entry)
	if err := c.checkModel(&entry); err != nil {
		return fmt.Errorf("model %q: %w", f.ID, err)
	}
	return nil
}

func (c *Catalog) appendModel(m Entry) {
	c.byID[m.ID] = len(c.models)
	for _, e := range m.Endpoints {
		c.byEndpoint[[2]string{e.Provider, e.Model}] = len(c.models)
	}
	c.models = append(c.models, m)
}

// collectAliases returns the aliases in models.json and the names that the endpoints
// use, with and without the provider as prefix. Clients of other gateways send such
// names.
func collectAliases(m *Entry) []string {
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
