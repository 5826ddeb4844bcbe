package api

import (
	"encoding/json"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

func (e *edge) serveModels(x *exchange) {
	cards, err := e.listCards(x)
	if err != nil {
		x.sendError(err)
		return
	}
	switch x.format {
	case apperr.Anthropic:
		e.sendAnthropicModels(x, cards)
	case apperr.Gemini:
		e.sendGeminiModels(x, cards)
	default:
		writeJSON(x, struct {
			Object string      `json:"object"`
			Data   []modelCard `json:"data"`
		}{"list", cards})
	}
}

func (e *edge) serveModel(x *exchange) {
	cards, err := e.listCards(x)
	if err != nil {
		x.sendError(err)
		return
	}
	path := cleanPath(x.r.URL.EscapedPath())
	id := unescapePath(path[strings.Index(path, modelsSegment)+len(modelsSegment):])
	c, ok := e.findCard(x.principal, cards, id)
	switch {
	case !ok:
		x.sendError(apperr.New(apperr.ModelNotFound, "no such model, or this key may not use it; GET "+modelsPath+" lists the models of this key").
			With("requested_model", truncate(id, maxEchoed)))
	case x.format == apperr.Anthropic:
		writeJSON(x, c.toAnthropic())
	case x.format == apperr.Gemini:
		writeJSON(x, c.toGemini())
	default:
		writeJSON(x, c)
	}
}

// modelsSegment is the part of a path before the name of a model.
const modelsSegment = "/models/"

func (e *edge) findCard(p *keys.Principal, listed []modelCard, id string) (modelCard, bool) {
	for _, c := range listed {
		if c.ID == id {
			return c, true
		}
	}
	if c, ok := e.autoCard(p, id); ok {
		return c, true
	}
	return e.findUnlisted(p, id)
}

// autoCard describes the route that has another name, such as claude-auto.
func (e *edge) autoCard(p *keys.Principal, name string) (modelCard, bool) {
	current := e.Router.Policy()
	r, ok := current.Route(name, catalog.Chat)
	if !ok || !isAllowed(p, name) && !isAllowed(p, r.Name) {
		return modelCard{}, false
	}
	c := routeCard(current, r)
	c.ID = name
	return c, true
}

// listCards returns the cards of all routes and models that the key may use, routes first.
func (e *edge) listCards(x *exchange) ([]modelCard, error) {
	if err := e.admit(x, "models"); err != nil {
		return nil, err
	}
	p := e.Router.Policy()
	if p == nil {
		return nil, apperr.New(apperr.RoutingUnavailable, "the proxy has not received a routing policy yet; try again shortly")
	}
	cards := []modelCard{}
	for i := range p.Routes {
		if isAllowed(x.principal, p.Routes[i].Name) {
			cards = append(cards, routeCard(p, &p.Routes[i]))
		}
	}
	for i := range p.Models {
		cards = append(cards, modelCards(x.principal, &p.Models[i])...)
	}
	return cards, nil
}

// findUnlisted finds a model by an alias or by provider/model. Clients can use such names,
// but listCards returns them only if the key may not use the model's own name.
func (e *edge) findUnlisted(p *keys.Principal, name string) (modelCard, bool) {
	provider, id, _ := strings.Cut(name, "/")
	if m, ok := e.Router.Policy().Model(id); ok && provider != "" && isAllowed(p, m.ID) {
		if _, served := m.EndpointAt(provider); served {
			return pinnedCard(m, provider), true
		}
	}
	m, ok := e.Router.Policy().ModelByAlias(name)
	if !ok || !isAllowed(p, m.ID) && !isAllowed(p, name) {
		return modelCard{}, false
	}
	c := cheapestCard(m)
	c.ID = name
	return c, true
}

func writeJSON(x *exchange, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		x.sendError(err)
		return
	}
	x.sendBody(b, ledger.Amount{})
}
