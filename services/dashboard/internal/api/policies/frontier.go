package policies

import (
	"context"
	"net/http"
	"net/url"
	"time"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/replay"
)

const (
	// today is the position of the dial in the active policy, and baseline the default model
	// for everything.
	today    = "today"
	baseline = "baseline"
	// maxFrontierRequests is how many requests the frontier is computed from, newest first.
	maxFrontierRequests = 2000
)

// dialRoutes are the routes that are replayed: auto itself, and the presets of it.
var dialRoutes = []struct{ name, route string }{
	{today, "auto"}, {"economy", "auto:economy"}, {"balanced", "auto:balanced"}, {"quality", "auto:quality"},
}

type frontierJSON struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Requests int64  `json:"requests"`
	// Skipped counts requests that some position would reject, or whose cost or quality is
	// unknown.
	Skipped int64       `json:"skipped"`
	Points  []pointJSON `json:"points"`
}

type pointJSON struct {
	Name string `json:"name"`
	Cost int64  `json:"cost_nano_usd"`
	// Quality is the mean predicted quality from 0 to 1.
	Quality float64 `json:"quality"`
	// Dominated is true if another point is at least as good and as cheap.
	Dominated bool `json:"dominated"`
}

// apiGetFrontier returns what the recorded `auto` requests of the account would cost, and how
// good they are expected to be, with each position of the dial.
func (s *API) apiGetFrontier(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "from", "to")
	if err != nil {
		return err
	}
	q, err := httpapi.ParseQuery(url.Values{"from": {p.Get("from")}, "to": {p.Get("to")}, "filter": {"requested_model:auto"}}, v.Account.GetId())
	if err != nil {
		return err
	}
	if q.To.IsZero() {
		q.To = time.Now()
	}
	if q.From.IsZero() {
		q.From = q.To.AddDate(0, 0, -defaultReplayDays)
	}
	ctx, cancel := context.WithTimeout(r.Context(), policyReplayTimeout)
	defer cancel()
	f, err := s.computeFrontier(ctx, q)
	if err = httpapi.ToRouterError(err); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, frontierJSON{
		From: jsonvalue.FormatTime(q.From), To: jsonvalue.FormatTime(q.To), Requests: f.Requests, Skipped: f.Skipped,
		Points: jsonvalue.ConvertAll(f.Points(), func(p replay.Point) pointJSON {
			return pointJSON{Name: p.Name, Cost: p.Cost, Quality: p.Quality / 1000, Dominated: p.Dominated}
		}),
	})
}

func (s *API) computeFrontier(ctx context.Context, q record.Query) (*replay.Frontier, error) {
	stream, err := s.Policies.Replay(ctx)
	if err != nil {
		return nil, err
	}
	f := &replay.Frontier{}
	var after *record.Cursor
	for read := 0; ; {
		page, err := readlimit.ReadPageWithRetry(ctx, s.Ledger, q, after)
		if err != nil {
			return nil, err
		}
		if err := addToFrontier(f, stream, page.Items); err != nil {
			return nil, err
		}
		read += len(page.Items)
		if after = page.Next; after == nil || read >= maxFrontierRequests {
			return f, stream.CloseSend()
		}
	}
}

// addToFrontier replays the records of a page with every position. It sends and receives
// concurrently, because otherwise both sides would block when the stream's buffers are full.
func addToFrontier(f *replay.Frontier, stream routerv1.PolicyService_ReplayClient, all []record.Record) error {
	var replayable []*record.Record
	for i := range all {
		if all[i].Inputs != nil {
			replayable = append(replayable, &all[i])
		}
	}
	f.Skipped += int64(len(all) - len(replayable))
	sent := make(chan error, 1)
	go func() { sent <- sendDialPositions(stream, replayable) }()
	for _, r := range replayable {
		decisions := map[string]replay.Decision{}
		for _, at := range dialRoutes {
			a, err := stream.Recv()
			if err != nil {
				return err // the stream has ended, so the sender stops, too
			}
			decisions[at.name] = replayedDecision(a)
			if at.name == today {
				decisions[baseline] = baselineDecision(r, a.GetDecision())
			}
		}
		f.Add(decisions, baseline)
	}
	return <-sent
}

// sendDialPositions sends the question of each record once for every position. The recorded
// policy version is left out, so that the router predicts the qualities again: the recorded
// decision may not have needed them.
func sendDialPositions(stream routerv1.PolicyService_ReplayClient, all []*record.Record) error {
	for _, r := range all {
		for _, at := range dialRoutes {
			m := toReplayRequest(r)
			m.PolicyVersion, m.Chosen, m.Question.Model = "", nil, at.route
			if err := stream.Send(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// baselineDecision returns what the default model costs, and how good it is expected to be.
// The quality is unknown if the default model is no candidate of the route.
func baselineDecision(r *record.Record, d *routerv1.Decision) replay.Decision {
	out := replay.Decision{Candidate: replay.Candidate{Model: r.BaselineModel}, Cost: r.BaselineCost}
	for _, v := range d.GetVerdicts() {
		if v.GetCandidate().GetModel() == r.BaselineModel {
			out.Quality = max(out.Quality, v.GetQuality())
		}
	}
	return out
}
