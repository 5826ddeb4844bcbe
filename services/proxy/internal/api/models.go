package api

import (
	"encoding/json"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/modellist"
)

func (e *edge) serveModels(x *exchange) {
	models, err := e.listModels(x)
	if err != nil {
		x.sendError(err)
		return
	}
	var list any = models.ForOpenAI()
	switch x.format {
	case apperr.Anthropic:
		list, err = models.ForAnthropic(x.r.URL.Query())
	case apperr.Gemini:
		list, err = models.ForGemini(x.r.URL.Query())
	}
	if err != nil {
		x.sendError(err)
		return
	}
	writeJSON(x, list)
}

func (e *edge) serveModel(x *exchange) {
	models, err := e.listModels(x)
	if err != nil {
		x.sendError(err)
		return
	}
	path := cleanPath(x.r.URL.EscapedPath())
	id := unescapePath(path[strings.Index(path, modelsSegment)+len(modelsSegment):])
	c, ok := models.Find(id)
	switch {
	case !ok:
		x.sendError(apperr.New(apperr.ModelNotFound, "no such model, or this key may not use it; GET "+modelsPath+" lists the models of this key").
			With("requested_model", truncate(id, maxEchoed)))
	case x.format == apperr.Anthropic:
		writeJSON(x, c.ForAnthropic())
	case x.format == apperr.Gemini:
		writeJSON(x, c.ForGemini())
	default:
		writeJSON(x, c)
	}
}

// modelsSegment is the part of a path before the name of a model.
const modelsSegment = "/models/"

// listModels returns the models that the key may use.
func (e *edge) listModels(x *exchange) (*modellist.List, error) {
	if err := e.admit(x, "models"); err != nil {
		return nil, err
	}
	p := e.Router.Policy()
	if p == nil {
		return nil, apperr.New(apperr.RoutingUnavailable, "the proxy has not received a routing policy yet; try again shortly")
	}
	return modellist.New(p, x.principal), nil
}

func writeJSON(x *exchange, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		x.sendError(err)
		return
	}
	x.sendBody(b, ledger.Amount{})
}
