package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/training"
)

// installation is a router with its own store and a policy with two models.
type installation struct {
	service  *router.Service
	conn     *grpc.ClientConn
	client   routerv1.RouterServiceClient
	stop     context.CancelFunc
	ended    chan error
	dir      string
	now      time.Time
	reported int
}

const document = `version: 1
providers: {sandbox: {kind: sandbox}}
models:
  strong: {endpoints: [{provider: sandbox, model: sandbox-large}], price: {input: "10", output: "30"}, quality: {general: %.3f}}
  weak: {endpoints: [{provider: sandbox, model: sandbox-small}], price: {input: "1", output: "3"}, quality: {general: %.3f}}
defaults: {baseline: strong}
routes: {auto: {select: [{strategy: quality, candidates: [strong, weak]}]}}
`

// callTimeout limits a call.
const callTimeout = time.Minute

func newInstallation(pair training.Pair, w enrich.Weights) (_ *installation, err error) {
	in := &installation{ended: make(chan error, 1), now: time.Now()}
	if in.dir, err = os.MkdirTemp("", "learningcurve"); err != nil {
		return nil, err
	}
	policy := filepath.Join(in.dir, "policy.yaml")
	strong, weak := abilityOf(w.Predictor, pair.Strong, 0.4), abilityOf(w.Predictor, pair.Weak, 0.25)
	if err := os.WriteFile(policy, fmt.Appendf(nil, document, strong, weak), 0o600); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	in.stop = stop
	network := rpc.NewMemory()
	in.service, err = router.New(ctx, router.Config{Data: in.dir, Policy: policy}, router.Deps{
		Listener: network.Listener(), Log: slog.New(slog.DiscardHandler), Weights: &w, Now: func() time.Time { return in.now },
	})
	if err != nil {
		return nil, err
	}
	go func() { in.ended <- in.service.Run(ctx) }()
	if in.conn, err = network.Dial(rpc.ClientConfig{}); err != nil {
		return nil, err
	}
	in.client = routerv1.NewRouterServiceClient(in.conn)
	return in, nil
}

func abilityOf(p *predict.Predictor, name string, unrated float64) float64 {
	if i := p.Lookup(name); i >= 0 {
		return float64(p.Ability(i)) / 1000
	}
	return unrated
}

const account = "account"

func (in *installation) decide(text string) (*routerv1.Decision, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	r, err := in.client.Decide(ctx, &routerv1.DecideRequest{Question: &routerv1.Question{
		Endpoint: routerv1.Endpoint_ENDPOINT_CHAT, Model: "auto", InputTokens: 100, Excerpt: text,
		Features: []*routerv1.NamedValue{{Name: "turns", Value: 1}}, Caller: &routerv1.Caller{AccountId: account},
	}})
	return r.GetDecision(), err
}

// Gap returns the difference of the predicted qualities.
func (in *installation) Gap(text string) (float64, error) {
	d, err := in.decide(text)
	gap := 0.0
	for _, q := range d.GetQualities() {
		switch q.GetName() {
		case "strong":
			gap += float64(q.GetValue())
		case "weak":
			gap -= float64(q.GetValue())
		}
	}
	return gap, err
}

// Report reports outcomes with the features that a record would hold.
func (in *installation) Report(day int, outcomes []training.PairOutcome) error {
	request := &routerv1.ReportEvidenceRequest{}
	for _, o := range outcomes {
		d, err := in.decide(o.Text)
		if err != nil {
			return err
		}
		model := "weak"
		if o.Strong {
			model = "strong"
		}
		in.reported++
		request.Evidence = append(request.Evidence, &routerv1.Evidence{
			Id: fmt.Sprint(in.reported), AccountId: account, Model: model, Source: "feedback", Weight: 1000,
			Features: append(d.GetFeatures(), &routerv1.NamedValue{Name: "turns", Value: 1}),
			Score:    int64(math.Round(1000 * o.Score)), Time: timestamppb.Now(),
		})
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	r, err := in.client.ReportEvidence(ctx, request)
	if err != nil {
		return err
	}
	if r.GetAccepted() != int64(len(outcomes)) {
		return errors.New("the router did not accept all outcomes")
	}
	in.now = in.now.Add(24 * time.Hour)
	return in.service.Learn(ctx)
}

// Close stops the router and deletes its files.
func (in *installation) Close() error {
	err := in.conn.Close()
	in.stop()
	return errors.Join(err, <-in.ended, in.service.Close(), os.RemoveAll(in.dir))
}
