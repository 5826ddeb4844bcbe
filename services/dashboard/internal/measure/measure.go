// Package measure reads the values that alerts compare with their thresholds: rates, latency
// and spend from the ledger, budgets from keyauth, the health of providers from the router, and
// the state of the installation. Source implements alert.Source. Every value belongs to the
// account of the rule; only rules of the operator's account measure the installation.
package measure

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Ledger has the figures of requests.
type Ledger interface {
	Series(ctx context.Context, q record.Query, step time.Duration) ([]record.Bucket, error)
	LatencyPercentile(ctx context.Context, q record.Query, percent int) (us, samples int64, err error)
	Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error)
	AccountSpend(ctx context.Context, account string, at time.Time) (record.AccountSpend, error)
}

// Accounts returns the limits of an account and of its keys, and its group budgets.
type Accounts interface {
	GetAccount(ctx context.Context, in *keyauthv1.GetAccountRequest, opts ...grpc.CallOption) (*keyauthv1.GetAccountResponse, error)
	ListKeys(ctx context.Context, in *keyauthv1.ListKeysRequest, opts ...grpc.CallOption) (*keyauthv1.ListKeysResponse, error)
	ListBudgets(ctx context.Context, in *keyauthv1.ListBudgetsRequest, opts ...grpc.CallOption) (*keyauthv1.ListBudgetsResponse, error)
}

// Router returns the health of the candidates.
type Router interface {
	Status(ctx context.Context, in *routerv1.StatusRequest, opts ...grpc.CallOption) (*routerv1.StatusResponse, error)
}

// Certificate is when a certificate ends.
type Certificate struct {
	Name string
	Ends time.Time
}

// Source measures values. Certificates may be nil.
type Source struct {
	Ledger   Ledger
	Accounts Accounts
	Router   Router
	// CheckCompleteness returns an error if records are missing.
	CheckCompleteness func() error
	// Certificates returns the certificates of this process.
	Certificates func() []Certificate
}

// Measure returns the values of a rule; see alert.Source.
func (s *Source) Measure(ctx context.Context, r alert.Rule, now time.Time) ([]alert.Reading, error) {
	switch r.Kind {
	case alert.ErrorRate, alert.FallbackRate:
		return s.measureRate(ctx, r, now)
	case alert.Latency:
		return s.measureLatency(ctx, r, now)
	case alert.Spend:
		return s.measureSpend(ctx, r, now)
	case alert.Budget:
		return s.measureBudgets(ctx, r, now)
	case alert.ProviderDown, alert.CredentialsMissing:
		return s.measureProviders(ctx, r.Kind)
	case alert.CertificateEnding:
		return s.measureCertificates(now), nil
	case alert.Completeness:
		return s.measureCompleteness(), nil
	}
	return nil, fmt.Errorf("alert %s has an unknown kind %q", r.ID, r.Kind)
}

func windowOf(r alert.Rule, now time.Time) record.Query {
	return record.Query{Account: r.AccountID, From: now.Add(-r.Window), To: now}
}
