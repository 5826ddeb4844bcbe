package api

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// modelCard is one model as clients list it; context_length, max_model_len and
// pricing are extensions that several of them read.
type modelCard struct {
	ID            string       `json:"id"`
	Object        string       `json:"object"`
	Created       int64        `json:"created"`
	OwnedBy       string       `json:"owned_by"`
	Kind          catalog.Kind `json:"kind"`
	ContextLength int64        `json:"context_length,omitempty"`
	MaxModelLen   int64        `json:"max_model_len,omitempty"`
	Pricing       *pricing     `json:"pricing,omitempty"`
}

// pricing is in dollars per token, as text, exact.
type pricing struct {
	Prompt     string `json:"prompt"`
	Completion string `json:"completion"`
}

func (e *edge) models(x *exchange) {
	cards, err := e.cards(x)
	if err != nil {
		x.fail(err)
		return
	}
	writeJSON(x, struct {
		Object string      `json:"object"`
		Data   []modelCard `json:"data"`
	}{"list", cards})
}

func (e *edge) model(x *exchange) {
	cards, err := e.cards(x)
	if err != nil {
		x.fail(err)
		return
	}
	escaped := strings.TrimPrefix(clean(x.r.URL.EscapedPath()), Prefix+"/models/")
	id, err := url.PathUnescape(escaped)
	if err != nil {
		id = escaped
	}
	for _, c := range cards {
		if c.ID == id {
			writeJSON(x, c)
			return
		}
	}
	x.fail(apperr.New(apperr.ModelNotFound, "there is no model of this name").With("requested_model", id))
}

// cards lists what the key may use: routes first, then models.
func (e *edge) cards(x *exchange) ([]modelCard, error) {
	if err := e.admit(x, "models"); err != nil {
		return nil, err
	}
	p := e.Router.Policy()
	if p == nil {
		return nil, apperr.New(apperr.RoutingUnavailable, "no routing policy has been received yet")
	}
	cards := []modelCard{}
	for _, r := range p.Routes {
		if allowed(x.principal, r.Name) {
			cards = append(cards, modelCard{ID: r.Name, Object: "model", OwnedBy: "signalbox", Kind: r.Kind})
		}
	}
	for i := range p.Models {
		if allowed(x.principal, p.Models[i].ID) {
			cards = append(cards, card(&p.Models[i]))
		}
	}
	return cards, nil
}

func allowed(p *keys.Principal, name string) bool {
	return len(p.Models) == 0 || slices.Contains(p.Models, name)
}

func card(m *policy.Model) modelCard {
	c := modelCard{
		ID: m.ID, Object: "model", OwnedBy: m.Endpoints[0].Provider, Kind: m.Kind,
		ContextLength: m.Context, MaxModelLen: m.Context,
	}
	if p, ok := m.PriceAt(time.Now()); ok {
		c.Pricing = &pricing{Prompt: catalog.PerToken(p.Input), Completion: catalog.PerToken(p.Output)}
	}
	return c
}

func writeJSON(x *exchange, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		x.fail(err)
		return
	}
	x.send(b)
}
