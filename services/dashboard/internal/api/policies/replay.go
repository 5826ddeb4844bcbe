package policies

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/replay"
)

const (
	// policyReplayTimeout is enough for maxReplayedRecords on a busy machine.
	policyReplayTimeout = time.Minute
	// maxReplayedRecords is the maximum number of records that a replay reads,
	// newest first.
	maxReplayedRecords = 100_000
	// defaultReplayDays is the number of days that a replay covers by default.
	defaultReplayDays = 7
)

// apiReplayPolicy returns what a document, or the active version, would have decided
// for the account's recorded requests.
func (s *API) apiReplayPolicy(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var body struct {
		Document string `json:"document"`
		Filter   string `json:"filter"`
		From     string `json:"from"`
		To       string `json:"to"`
	}
	if err := httpapi.ReadJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	q, err := httpapi.ParseQuery(url.Values{"filter": {body.Filter}, "from": {body.From}, "to": {body.To}}, v.Account.GetId())
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
	out, err := s.replayPolicy(ctx, q, body.Document)
	return httpapi.WriteResult(w, http.StatusOK, out, httpapi.ToRouterError(err))
}

func (s *API) replayPolicy(ctx context.Context, q record.Query, document string) (*replayJSON, error) {
	if err := s.checkDocument(ctx, document); err != nil {
		return nil, err
	}
	stream, err := s.Policies.Replay(ctx)
	if err != nil {
		return nil, err
	}
	run := replayRun{stream: stream, document: document}
	var after *record.Cursor
	for read := 0; ; {
		page, err := readlimit.ReadPageWithRetry(ctx, s.Ledger, q, after)
		if err != nil {
			return nil, err
		}
		if err := run.replayPage(page.Items); err != nil {
			return nil, err
		}
		read += len(page.Items)
		if after = page.Next; after == nil || read >= maxReplayedRecords {
			return toReplayJSON(q, &run, after != nil), stream.CloseSend()
		}
	}
}

// checkDocument validates the document first. Otherwise an invalid document would
// go unnoticed if there are no records to replay.
func (s *API) checkDocument(ctx context.Context, document string) error {
	if document == "" {
		return nil
	}
	a, err := s.Policies.Validate(ctx, &routerv1.ValidateRequest{Document: document})
	if err != nil || len(a.GetProblems()) == 0 {
		return err
	}
	return apperr.New(apperr.PolicyInvalid, "the policy document is not valid").With("problems", policyjson.EncodeMessage(a)["problems"])
}

type replayRun struct {
	stream routerv1.PolicyService_ReplayClient
	// document is sent with the first record.
	document string
	sent     bool
	version  string
	report   replay.Report
}

// replayPage sends the records to the router and adds the responses to the report.
// The responses arrive in the same order. It sends and receives concurrently,
// because otherwise both sides would block when the stream's buffers are full.
func (p *replayRun) replayPage(all []record.Record) error {
	replayable := make([]*record.Record, 0, len(all))
	for i := range all {
		if all[i].Inputs == nil {
			p.report.Skipped++
			continue
		}
		replayable = append(replayable, &all[i])
	}
	sent := make(chan error, 1)
	go func() { sent <- p.sendRecords(replayable) }()
	for _, r := range replayable {
		a, err := p.stream.Recv()
		if err != nil {
			return err // the stream has ended, so the sender stops, too
		}
		p.version = cmp.Or(p.version, a.GetDecision().GetPolicyVersion())
		p.report.Add(toReplayRow(r, a))
	}
	return <-sent
}

func (p *replayRun) sendRecords(all []*record.Record) error {
	for _, r := range all {
		m := toReplayRequest(r)
		if !p.sent {
			m.Document, p.sent = p.document, true
		}
		if err := p.stream.Send(m); err != nil {
			return err
		}
	}
	return nil
}
