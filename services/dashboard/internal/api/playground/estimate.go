package playground

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
)

const (
	// maxModels is how many models the page shows side by side.
	maxModels = 4
	// maxEstimateBody is smaller than the body of a run, because an estimate parses the
	// whole body within the time limit of a read.
	maxEstimateBody = 4 << 20
)

// estimateJSON is what a run with one model would probably do. If the request would be
// refused, Error says why.
type estimateJSON struct {
	Model    string  `json:"model"`
	Served   *string `json:"served"`
	Provider *string `json:"provider"`
	// Cost is null if the price is unknown.
	Cost   *int64  `json:"cost_nano_usd"`
	Reason *string `json:"reason"`
	Error  *string `json:"error"`
}

// apiEstimate asks the router what it would decide for a chat request with each of the
// models. No provider is called.
func (s *API) apiEstimate(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	release, err := s.estimates.acquire(v.Account.GetId())
	if err != nil {
		return err
	}
	defer release()
	var body struct {
		Models []string       `json:"models"`
		Body   jsontext.Value `json:"body"`
	}
	if err := httpapi.ReadJSONUpTo(w, r, &body, maxEstimateBody); err != nil {
		return err
	}
	if len(body.Models) == 0 || len(body.Models) > maxModels {
		return httpapi.InvalidParam("models", "name 1 to 4 models")
	}
	question, err := questionOf(v, body.Models[0], body.Body)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	items := make([]estimateJSON, 0, len(body.Models))
	for _, model := range body.Models {
		question.Model = model
		item, err := s.estimate(ctx, question)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return httpapi.WriteItems(w, items, nil)
}

func (s *API) estimate(ctx context.Context, question *routerv1.Question) (estimateJSON, error) {
	model := question.GetModel()
	a, err := s.Policies.Explain(ctx, &routerv1.ExplainRequest{Question: question})
	if apperr.CodeOf(httpapi.ToRouterError(err)).Spec().Status < http.StatusInternalServerError && err != nil {
		return estimateJSON{Model: model, Error: jsonvalue.NullIfZero(apperr.From(err).Message)}, nil
	}
	if err != nil {
		return estimateJSON{}, httpapi.ToRouterError(err)
	}
	return toEstimateJSON(model, a.GetDecision()), nil
}

// questionOf returns the question that a proxy would ask about the body with this model.
func questionOf(v *access.Viewer, model string, body jsontext.Value) (*routerv1.Question, error) {
	var fields map[string]json.RawMessage
	if body.Kind() != '{' || json.Unmarshal(body, &fields) != nil || fields["messages"] == nil {
		return nil, httpapi.InvalidParam("body", "the body must be a chat request with messages")
	}
	name, err := json.Marshal(model)
	if err != nil {
		return nil, err
	}
	fields["model"] = name
	delete(fields, "caller")
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	q, err := policyjson.ParseQuestionOrBody(text, "chat")
	if err != nil {
		return nil, httpapi.InvalidParam("body", err.Error())
	}
	q.Caller = &routerv1.Caller{AccountId: v.Account.GetId(), Tags: []string{"playground"}, BaselineModel: v.Account.GetBaselineModel()}
	return q, nil
}

func toEstimateJSON(model string, d *routerv1.Decision) estimateJSON {
	j := estimateJSON{Model: model, Reason: jsonvalue.NullIfZero(d.GetReason().GetText())}
	if len(d.GetPlan()) == 0 {
		return j
	}
	first := d.GetPlan()[0]
	j.Served, j.Provider = jsonvalue.NullIfZero(first.GetModel()), jsonvalue.NullIfZero(first.GetProvider())
	i := slices.IndexFunc(d.GetVerdicts(), func(v *routerv1.Verdict) bool {
		c := v.GetCandidate()
		return c.GetModel() == first.GetModel() && c.GetProvider() == first.GetProvider() && c.GetEffort() == first.GetEffort()
	})
	if i >= 0 {
		j.Cost = d.GetVerdicts()[i].PredictedNanoUsd
	}
	return j
}
