package api

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

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
	if c, ok := e.unlisted(x.principal, id); ok {
		writeJSON(x, c)
		return
	}
	x.fail(apperr.New(apperr.ModelNotFound, "there is no model of this name, or this key may not use it; GET "+Prefix+"/models lists those it may").
		With("requested_model", cut(id, maxEchoed)))
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
	for i := range p.Routes {
		if allowed(x.principal, p.Routes[i].Name) {
			cards = append(cards, routeCard(p, &p.Routes[i]))
		}
	}
	for i := range p.Models {
		cards = append(cards, modelCards(x.principal, &p.Models[i])...)
	}
	return cards, nil
}

// unlisted finds a model by another name, or by one that says where it is to be
// served. Such names are not listed where the plain one may be used, and work
// all the same.
func (e *edge) unlisted(p *keys.Principal, name string) (modelCard, bool) {
	provider, id, _ := strings.Cut(name, "/")
	if m, ok := e.Router.Policy().Model(id); ok && provider != "" && allowed(p, m.ID) {
		if _, served := m.At(provider); served {
			return pinnedCard(m, provider), true
		}
	}
	m, ok := e.Router.Policy().Alias(name)
	if !ok || !allowed(p, m.ID) && !allowed(p, name) {
		return modelCard{}, false
	}
	c := card(m)
	c.ID = name
	return c, true
}

func writeJSON(x *exchange, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		x.fail(err)
		return
	}
	x.send(b, ledger.Amount{})
}
