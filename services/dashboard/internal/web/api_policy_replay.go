package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/replay"
)

const (
	// policyReplayTimeout is for the most records that are replayed, on a busy
	// machine.
	policyReplayTimeout = time.Minute
	// maxReplayed is how many of the newest records are read.
	maxReplayed = 100_000
	// replayDays is how far back it goes if that is not said.
	replayDays = 7
)

// apiReplayPolicy tells what a document, or the version in force, would have
// made of an account's recorded requests.
func (s *server) apiReplayPolicy(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var body struct {
		Document string `json:"document"`
		Filter   string `json:"filter"`
		From     string `json:"from"`
		To       string `json:"to"`
	}
	if err := readJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	q, err := query(url.Values{"filter": {body.Filter}, "from": {body.From}, "to": {body.To}}, v.account.GetId())
	if err != nil {
		return err
	}
	if q.To.IsZero() {
		q.To = time.Now()
	}
	if q.From.IsZero() {
		q.From = q.To.AddDate(0, 0, -replayDays)
	}
	ctx, cancel := context.WithTimeout(r.Context(), policyReplayTimeout)
	defer cancel()
	out, err := s.replay(ctx, q, body.Document)
	if err != nil {
		return reached(err, apperr.New(apperr.RoutingUnavailable, "the router cannot be reached"))
	}
	return writeJSON(w, http.StatusOK, out)
}

func (s *server) replay(ctx context.Context, q record.Query, document string) (*replayJSON, error) {
	if err := s.wellFormed(ctx, document); err != nil {
		return nil, err
	}
	stream, err := s.Policies.Replay(ctx)
	if err != nil {
		return nil, err
	}
	run := replaying{stream: stream, document: document}
	var after *record.Cursor
	for read := 0; ; {
		page, err := s.nextPage(ctx, q, after)
		if err != nil {
			return nil, err
		}
		if err := run.page(page.Items); err != nil {
			return nil, err
		}
		read += len(page.Items)
		if after = page.Next; after == nil || read >= maxReplayed {
			return toReplayJSON(q, &run, after != nil), stream.CloseSend()
		}
	}
}

// wellFormed asks before anything is read: a document is faulty also where
// there is nothing to replay.
func (s *server) wellFormed(ctx context.Context, document string) error {
	if document == "" {
		return nil
	}
	a, err := s.Policies.Validate(ctx, &routerv1.ValidateRequest{Document: document})
	if err != nil || len(a.GetProblems()) == 0 {
		return err
	}
	return apperr.New(apperr.PolicyInvalid, "the policy document is not valid").With("problems", policyjson.Message(a)["problems"])
}

// replaying is a replay that is under way.
type replaying struct {
	stream routerv1.PolicyService_ReplayClient
	// document goes with the first input.
	document string
	sent     bool
	version  string
	report   replay.Report
}

// page sends records and adds the answers, which come in the same order. It
// reads while it sends, for neither side holds more than the stream does.
func (p *replaying) page(all []record.Record) error {
	asked := make([]*record.Record, 0, len(all))
	for i := range all {
		if all[i].Inputs == nil {
			p.report.Skipped++
			continue
		}
		asked = append(asked, &all[i])
	}
	sent := make(chan error, 1)
	go func() { sent <- p.send(asked) }()
	for _, r := range asked {
		a, err := p.stream.Recv()
		if err != nil {
			return err // which ends the stream, and so the sender
		}
		p.version = cmp.Or(p.version, a.GetDecision().GetPolicyVersion())
		p.report.Add(toRow(r, a))
	}
	return <-sent
}

func (p *replaying) send(all []*record.Record) error {
	for _, r := range all {
		m := toReplay(r)
		if !p.sent {
			m.Document, p.sent = p.document, true
		}
		if err := p.stream.Send(m); err != nil {
			return err
		}
	}
	return nil
}
