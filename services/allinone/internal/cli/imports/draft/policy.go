// Package draft builds a policy document from the configuration of another gateway. A
// converter adds providers, models and routes. It also notes what it could not carry
// over, so that nothing of the configuration is lost silently.
package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Policy is the document that is built.
type Policy struct {
	Version   int            `yaml:"version"`
	Providers List[Provider] `yaml:"providers,omitempty"`
	Models    List[Model]    `yaml:"models,omitempty"`
	Defaults  *Defaults      `yaml:"defaults,omitempty"`
	Routes    List[Route]    `yaml:"routes,omitempty"`

	catalog *catalog.Catalog
	notes   []string
}

// New returns an empty document. The catalog says what need not be written.
func New(cat *catalog.Catalog) *Policy { return &Policy{Version: 1, catalog: cat} }

// Catalog returns the catalog that the document builds on.
func (p *Policy) Catalog() *catalog.Catalog { return p.catalog }

// Note records what the user has to know or to do. Equal notes are recorded once.
func (p *Policy) Note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(p.notes, text) {
		p.notes = append(p.notes, text)
	}
}

// Notes returns the notes in the order in which they were made.
func (p *Policy) Notes() []string { return p.notes }

// Provider is a place where models are served.
type Provider struct {
	Kind         string    `yaml:"kind,omitempty"`
	BaseURL      string    `yaml:"base_url,omitempty"`
	AllowPrivate bool      `yaml:"allow_private,omitempty"`
	Keys         []Key     `yaml:"keys,omitempty,flow"`
	Timeouts     *Timeouts `yaml:"timeouts,omitempty,flow"`
	Limits       *Limits   `yaml:"limits,omitempty,flow"`
}

// Key refers to a credential. It never contains one.
type Key struct {
	Ref string `yaml:"ref"`
}

// Timeouts are durations such as 30s.
type Timeouts struct {
	FirstToken string `yaml:"first_token,omitempty"`
	Total      string `yaml:"total,omitempty"`
}

// Limits are per minute.
type Limits struct {
	Requests   int64 `yaml:"requests,omitempty"`
	Tokens     int64 `yaml:"tokens,omitempty"`
	Concurrent int64 `yaml:"concurrent,omitempty"`
}

// Model is a model that clients or routes can choose.
type Model struct {
	// Like is the catalog model that supplies prices, limits and capabilities.
	Like      string     `yaml:"like,omitempty"`
	Kind      string     `yaml:"kind,omitempty"`
	Aliases   []string   `yaml:"aliases,omitempty,flow"`
	Endpoints []Endpoint `yaml:"endpoints,omitempty,flow"`
	Price     *Price     `yaml:"price,omitempty,flow"`
	Context   int64      `yaml:"context,omitempty"`
	MaxOutput int64      `yaml:"max_output,omitempty"`
}

// Endpoint is a model at a provider.
type Endpoint struct {
	Provider string `yaml:"provider"`
	Model    string `yaml:"model"`
}

// Price is in US dollars per million tokens.
type Price struct {
	Input  string `yaml:"input"`
	Output string `yaml:"output,omitempty"`
	// Unusual accepts a price that is far from the catalog's.
	Unusual bool `yaml:"unusual,omitempty"`
}

// Defaults apply to all routes.
type Defaults struct {
	Baseline string   `yaml:"baseline,omitempty"`
	Retries  *Retries `yaml:"retries,omitempty,flow"`
	Breaker  *Breaker `yaml:"breaker,omitempty,flow"`
}

// Retries limits the further attempts.
type Retries struct {
	Max int `yaml:"max"`
}

// Breaker says when an endpoint is skipped.
type Breaker struct {
	MinRequests int    `yaml:"min_requests,omitempty"`
	Open        string `yaml:"open,omitempty"`
}

// Route is a name that clients send as model.
type Route struct {
	Kind      string   `yaml:"kind,omitempty"`
	Select    []Rule   `yaml:"select"`
	OnFailure []string `yaml:"on_failure,omitempty,flow"`
}

// Rule chooses between candidates.
type Rule struct {
	Name       string         `yaml:"name,omitempty"`
	When       map[string]any `yaml:"when,omitempty,flow"`
	Target     string         `yaml:"target,omitempty"`
	Aim        string         `yaml:"aim,omitempty"`
	Strategy   string         `yaml:"strategy,omitempty"`
	Weights    map[string]int `yaml:"weights,omitempty,flow"`
	Candidates []string       `yaml:"candidates,omitempty,flow"`
}

// Candidates returns what the first attempts of a route may use, in order.
func (r Route) Candidates() (all []string) {
	for _, rule := range r.Select {
		all = append(all, rule.Candidates...)
		if rule.Target != "" {
			all = append(all, rule.Target)
		}
	}
	return Unique(all)
}

// Unique returns the names without repetitions, in order.
func Unique(names []string) (all []string) {
	for _, name := range names {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// CleanName replaces the characters that a name must not contain by hyphens. marks are the
// punctuation marks that it may contain.
func CleanName(name, marks string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(marks, r) {
			return r
		}
		return '-'
	}, name)
	return strings.Trim(clean, "-")
}
