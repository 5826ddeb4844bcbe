package policies

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// experimentsJSON are the experiments of the active policy. Version is the version to which
// changes apply.
type experimentsJSON struct {
	Version  string           `json:"version"`
	ReadOnly bool             `json:"read_only"`
	Routes   []string         `json:"routes"`
	Items    []experimentJSON `json:"items"`
}

type experimentJSON struct {
	Name       string   `json:"name"`
	Share      float64  `json:"share"`
	Routes     []string `json:"routes"`
	Keys       []string `json:"keys"`
	Candidates []string `json:"candidates"`
	Judge      string   `json:"judge"`
	DailyUSD   string   `json:"daily_usd"`
	Paused     bool     `json:"paused"`
}

// apiListPolicyExperiments returns the experiments of the active policy.
func (s *API) apiListPolicyExperiments(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	if _, err := httpapi.ParseParams(r); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), policyTimeout)
	defer cancel()
	active, err := s.Policies.Get(ctx, &routerv1.GetRequest{})
	if err = httpapi.ToRouterError(err); err != nil {
		return err
	}
	p, err := policy.Compile([]byte(active.GetVersion().GetDocument()), s.Catalog)
	if err != nil {
		return apperr.New(apperr.PolicyInvalid, "the active policy cannot be read by this version of the dashboard").WithCause(err)
	}
	out := experimentsJSON{
		Version: active.GetVersion().GetVersion(), ReadOnly: active.GetReadOnly(), Routes: []string{},
		Items: jsonvalue.ConvertAll(p.Experiments, toExperimentJSON),
	}
	for i := range p.Routes {
		if p.Routes[i].Kind == catalog.Chat {
			out.Routes = append(out.Routes, p.Routes[i].Name)
		}
	}
	return httpapi.WriteJSON(w, http.StatusOK, out)
}

func toExperimentJSON(e policy.Experiment) experimentJSON {
	return experimentJSON{
		Name: e.Name, Share: float64(e.Share) / policy.WholeShare, Routes: append([]string{}, e.Routes...), Keys: append([]string{}, e.Keys...),
		Candidates: e.Candidates, Judge: e.Judge, DailyUSD: catalog.FormatUSD(e.NanoUSDPerDay), Paused: e.Paused,
	}
}

// experimentChange is a change of one experiment. The fields after Name are for some actions
// only.
type experimentChange struct {
	// Action is add, pause, resume, stop or promote.
	Action          string `json:"action"`
	Name            string `json:"name"`
	ExpectedVersion string `json:"expected_version"`
	// Share, Routes, Candidates, Judge and DailyUSD describe an added experiment.
	Share      string   `json:"share"`
	Routes     []string `json:"routes"`
	Candidates []string `json:"candidates"`
	Judge      string   `json:"judge"`
	DailyUSD   string   `json:"daily_usd"`
	// Route and Candidate are what to promote where.
	Route     string `json:"route"`
	Candidate string `json:"candidate"`
}

// edit returns the document with the change, and the note for the list of versions.
func (c *experimentChange) edit(document string) (changed, note string, err error) {
	switch c.Action {
	case "add":
		changed, err = policy.AddExperiment(document, &policy.ExperimentDraft{
			Name: c.Name, Share: c.Share, DailyUSD: c.DailyUSD, Routes: c.Routes, Candidates: c.Candidates, Judge: c.Judge,
		})
		note = "Add the experiment "
	case "pause", "resume":
		changed, err = policy.PauseExperiment(document, c.Name, c.Action == "pause")
		note = map[string]string{"pause": "Pause the experiment ", "resume": "Resume the experiment "}[c.Action]
	case "stop":
		changed, err = policy.RemoveExperiment(document, c.Name)
		note = "Stop the experiment "
	case "promote":
		changed, err = policy.PromoteCandidate(document, c.Route, "promote-"+c.Name, c.Candidate)
		note = "Promote " + c.Candidate + " on the route " + c.Route + " after the experiment "
	default:
		return "", "", apperr.New(apperr.InvalidRequest, "the action must be add, pause, resume, stop or promote").With("param", "action")
	}
	if problems, ok := errors.AsType[policy.Problems](err); ok {
		return "", "", apperr.New(apperr.PolicyInvalid, "the policy document is not valid").With("problems", problems)
	}
	if err != nil {
		return "", "", apperr.New(apperr.InvalidRequest, err.Error())
	}
	return changed, note + c.Name, nil
}

// changedJSON has the active version after a change, and the rollout that a promotion started.
type changedJSON struct {
	Version string  `json:"version"`
	Rollout *string `json:"rollout"`
}

// apiChangeExperiment changes one experiment of the active policy, and publishes the policy. A
// promoted candidate is rolled out in steps.
func (s *API) apiChangeExperiment(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var c experimentChange
	if err := httpapi.ReadJSON(w, r, &c); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), policyTimeout)
	defer cancel()
	active, err := s.Policies.Get(ctx, &routerv1.GetRequest{})
	if err = httpapi.ToRouterError(err); err != nil {
		return err
	}
	now := active.GetVersion()
	if c.ExpectedVersion != "" && c.ExpectedVersion != now.GetVersion() {
		return apperr.New(apperr.PolicyConflict, "the policy has changed in the meantime: look at it again, then repeat the change")
	}
	if c.Action == "promote" {
		if c.Candidate, err = s.findPromoted(now.GetDocument(), c.Name, c.Candidate); err != nil {
			return err
		}
	}
	document, note, err := c.edit(now.GetDocument())
	if err != nil {
		return err
	}
	if c.Action == "promote" {
		started, err := s.Policies.StartRollout(ctx, &routerv1.StartRolloutRequest{Document: document, ExpectedVersion: now.GetVersion(), Note: note, Author: authorName(v)})
		return httpapi.WriteResult(w, http.StatusOK, changedJSON{now.GetVersion(), jsonvalue.NullIfZero(started.GetRollout().GetId())}, httpapi.ToRouterError(err))
	}
	published, err := s.Policies.Publish(ctx, &routerv1.PublishRequest{Document: document, ExpectedVersion: now.GetVersion(), Note: note, Author: authorName(v)})
	if err = httpapi.ToRouterError(err); err != nil {
		return err
	}
	s.recordChange(r, v, &keyauthv1.RecordPolicyChangeRequest{Note: note}, published.GetVersion())
	return httpapi.WriteJSON(w, http.StatusOK, changedJSON{Version: published.GetVersion().GetVersion()})
}

// findPromoted returns the candidate of an experiment as the policy names it, with its provider.
// Results name only the model and its effort, so two providers of one model are ambiguous.
func (s *API) findPromoted(document, experiment, result string) (string, error) {
	p, err := policy.Compile([]byte(document), s.Catalog)
	if err != nil {
		return "", apperr.New(apperr.PolicyInvalid, "the active policy cannot be read by this version of the dashboard").WithCause(err)
	}
	var found []string
	for i := range p.Experiments {
		for _, candidate := range p.Experiments[i].Candidates {
			name, effort := policy.SplitEffort(candidate)
			model, _, _ := strings.Cut(name, "@")
			if p.Experiments[i].Name == experiment && (candidate == result || policy.JoinEffort(model, effort) == result) {
				found = append(found, candidate)
			}
		}
	}
	if len(found) != 1 {
		return "", apperr.New(apperr.InvalidRequest, "the experiment does not have exactly one such candidate: change the policy by hand").With("param", "candidate")
	}
	return found[0], nil
}
