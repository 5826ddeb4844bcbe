package system

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// defaultPartTimeout limits the checks of all parts together.
const defaultPartTimeout = 2 * time.Second

// StorageReader returns the kind and the size of the database, and when the last
// record was stored.
type StorageReader interface {
	StorageInfo(ctx context.Context) (record.StorageInfo, error)
}

// Carrier is the transport that delivers the records. Check returns an error if the
// transport does not work.
type Carrier interface {
	Check(ctx context.Context) error
}

// Retention is the retention in days; 0 means forever.
type Retention struct{ Records, Content int64 }

// systemJSON describes the installation as this process sees it.
type systemJSON struct {
	Version       string  `json:"version"`
	StartedAt     string  `json:"started_at"`
	PolicyVersion *string `json:"policy_version"`
	// Parts are the services and stores that the dashboard depends on.
	Parts []partJSON `json:"parts"`
	// Ledger is null if it is unavailable.
	Ledger    *ledgerJSON   `json:"ledger"`
	Retention retentionJSON `json:"retention"`
	// Warnings are problems of the installation that the operator should solve.
	Warnings []string `json:"warnings"`
}

// partJSON is the result of checking one part: whether it responds, and how long the
// check took. Code and Error say why the check failed; null if it succeeded.
type partJSON struct {
	Name       string  `json:"name"`
	OK         bool    `json:"ok"`
	DurationUS int64   `json:"duration_us"`
	Code       *string `json:"code"`
	Error      *string `json:"error"`
}

type ledgerJSON struct {
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
	// LastStoredAt is null if no record has been stored yet.
	LastStoredAt *string `json:"last_stored_at"`
	// Waiting counts the records that proxies hold and that are not stored yet.
	Waiting int64 `json:"waiting"`
}

// retentionJSON is the retention in days; null means forever.
type retentionJSON struct {
	RecordDays  *int64 `json:"record_days"`
	ContentDays *int64 `json:"content_days"`
}

func (s *API) apiGetSystem(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	system := systemJSON{
		Version: s.Version, StartedAt: jsonvalue.FormatTime(s.Started),
		Retention: retentionJSON{RecordDays: jsonvalue.NullIfZero(s.Retention.Records), ContentDays: jsonvalue.NullIfZero(s.Retention.Content)},
		Warnings:  []string{},
	}
	if s.Warnings != nil {
		system.Warnings = append(system.Warnings, s.Warnings()...)
	}
	// The checks run concurrently. Each writes only its own fields.
	parts := []partCheck{
		{"ledger", func(ctx context.Context) (err error) { system.Ledger, err = s.readLedgerStatus(ctx); return err }},
		{"router", func(ctx context.Context) error {
			resp, err := s.Router.Status(ctx, &routerv1.StatusRequest{})
			system.PolicyVersion = jsonvalue.NullIfZero(resp.GetPolicyVersion())
			return httpapi.ToRouterError(err)
		}},
		{"keyauth", func(ctx context.Context) error {
			_, err := s.Accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: v.Actor()})
			return httpapi.ToAccountsError(err)
		}},
	}
	if s.Carrier != nil {
		parts = append(parts, partCheck{"carrier", s.checkCarrier})
	}
	system.Parts = checkParts(r.Context(), cmp.Or(s.PartTimeout, defaultPartTimeout), parts)
	return httpapi.WriteJSON(w, http.StatusOK, system)
}

// readLedgerStatus returns nil and an error if the ledger is unavailable.
func (s *API) readLedgerStatus(ctx context.Context) (*ledgerJSON, error) {
	volume, err := s.Storage.StorageInfo(ctx)
	if err != nil {
		return nil, err
	}
	producers, err := s.Completeness.Completeness(ctx)
	if err != nil {
		return nil, err
	}
	return &ledgerJSON{
		Kind: volume.Database, Bytes: volume.Bytes, LastStoredAt: jsonvalue.FormatTimeOrNull(volume.LastStored),
		Waiting: record.SumDeliveries(producers, time.Now()).InFlight,
	}, nil
}

func (s *API) checkCarrier(ctx context.Context) error {
	if err := s.Carrier.Check(ctx); err != nil {
		return apperr.New(apperr.StoreUnavailable, "the record stream in Redis does not respond or is misconfigured; see the log of the dashboard").WithCause(err)
	}
	return nil
}

type partCheck struct {
	name  string
	check func(context.Context) error
}

func checkParts(ctx context.Context, timeout time.Duration, all []partCheck) []partJSON {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	parts := make([]partJSON, len(all))
	var wait sync.WaitGroup
	for i, a := range all {
		wait.Go(func() {
			began := time.Now()
			err := a.check(ctx)
			parts[i] = toPartJSON(a.name, time.Since(began), err)
		})
	}
	wait.Wait()
	return parts
}

func toPartJSON(name string, took time.Duration, err error) partJSON {
	p := partJSON{Name: name, OK: err == nil, DurationUS: took.Microseconds()}
	if err != nil {
		reported := apperr.From(err)
		code := string(reported.Code)
		p.Code, p.Error = &code, &reported.Message
	}
	return p
}
