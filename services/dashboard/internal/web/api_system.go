package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// askTimeout is how long a part may take to say that it is there.
const askTimeout = 2 * time.Second

// Volume is who knows how large the ledger is.
type Volume interface {
	Volume(ctx context.Context) (record.Volume, error)
}

// Carrier is what brings the records, where it can be asked whether it can.
type Carrier interface {
	Check(ctx context.Context) error
}

// Retention is for how many days things are kept; 0 is for ever.
type Retention struct{ Records, Content int64 }

// systemJSON is the installation as this process sees it.
type systemJSON struct {
	Version       string  `json:"version"`
	StartedAt     string  `json:"started_at"`
	PolicyVersion *string `json:"policy_version"`
	// Parts are those that this one works with.
	Parts []partJSON `json:"parts"`
	// Ledger is null when it cannot be read.
	Ledger    *ledgerJSON   `json:"ledger"`
	Retention retentionJSON `json:"retention"`
}

// partJSON is whether a part answers, and how fast, or what is wrong.
type partJSON struct {
	Name   string  `json:"name"`
	OK     bool    `json:"ok"`
	TookUS int64   `json:"took_us"`
	Code   *string `json:"code"`
	Error  *string `json:"error"`
}

type ledgerJSON struct {
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
	// LastStoredAt is null when nothing was stored of late.
	LastStoredAt *string `json:"last_stored_at"`
	// Waiting are the records that are on their way.
	Waiting int64 `json:"waiting"`
}

// retentionJSON is in days; null is for ever.
type retentionJSON struct {
	RecordDays  *int64 `json:"record_days"`
	ContentDays *int64 `json:"content_days"`
}

func (s *server) apiSystem(w http.ResponseWriter, r *http.Request, v *viewer) error {
	answer := systemJSON{
		Version: s.Version, StartedAt: timeText(s.started),
		Retention: retentionJSON{RecordDays: orNull(s.Retention.Records), ContentDays: orNull(s.Retention.Content)},
	}
	// Each writes what nobody else does.
	parts := []ask{
		{"ledger", func(ctx context.Context) (err error) { answer.Ledger, err = s.ledger(ctx); return err }},
		{"router", func(ctx context.Context) error {
			resp, err := s.Router.Status(ctx, &routerv1.StatusRequest{})
			answer.PolicyVersion = orNull(resp.GetPolicyVersion())
			return reached(err, apperr.New(apperr.RoutingUnavailable, "the router cannot be reached"))
		}},
		{"keyauth", func(ctx context.Context) error {
			_, err := s.Accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: v.actor()})
			return peer(err)
		}},
	}
	if s.Carrier != nil {
		parts = append(parts, ask{"carrier", s.carrier})
	}
	answer.Parts = askAll(r.Context(), parts)
	return writeJSON(w, http.StatusOK, answer)
}

// ledger is nil, with an error, when it cannot be read.
func (s *server) ledger(ctx context.Context) (*ledgerJSON, error) {
	volume, err := s.Volume.Volume(ctx)
	if err != nil {
		return nil, err
	}
	producers, err := s.Completeness.Completeness(ctx)
	if err != nil {
		return nil, err
	}
	return &ledgerJSON{
		Kind: volume.Kind, Bytes: volume.Bytes, LastStoredAt: seenText(volume.Grown),
		Waiting: record.Total(producers, time.Now()).InFlight,
	}, nil
}

func (s *server) carrier(ctx context.Context) error {
	if err := s.Carrier.Check(ctx); err != nil {
		return apperr.New(apperr.StoreUnavailable, "the carrier of records does not answer, or is not set up as it must be").Because(err)
	}
	return nil
}

// ask asks one part whether it is there.
type ask struct {
	name string
	of   func(context.Context) error
}

func askAll(ctx context.Context, all []ask) []partJSON {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	parts := make([]partJSON, len(all))
	var wait sync.WaitGroup
	for i, a := range all {
		wait.Go(func() {
			began := time.Now()
			err := a.of(ctx)
			parts[i] = toPartJSON(a.name, time.Since(began), err)
		})
	}
	wait.Wait()
	return parts
}

func toPartJSON(name string, took time.Duration, err error) partJSON {
	p := partJSON{Name: name, OK: err == nil, TookUS: took.Microseconds()}
	if err != nil {
		told := apperr.From(err)
		code := string(told.Code)
		p.Code, p.Error = &code, &told.Message
	}
	return p
}
