package measure

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
)

type providerHealth struct {
	name              string
	candidates, down  int
	succeeded, denied int64
	reason            string
	// usable and unusable count the credentials that the proxies report.
	usable, unusable int
}

// measureProviders has one reading for each provider of the policy. A provider is down if every
// one of its models is.
func (s *Source) measureProviders(ctx context.Context, k alert.Kind) ([]alert.Reading, error) {
	status, err := s.Router.Status(ctx, &routerv1.StatusRequest{})
	if err != nil {
		return nil, fmt.Errorf("read the health of providers: %w", err)
	}
	var all []alert.Reading
	for _, p := range sumProviders(status) {
		v := alert.Reading{Subject: p.name, Name: p.name}
		switch {
		case k == alert.ProviderDown && p.down == p.candidates:
			v.Value, v.Detail = 1, fmt.Sprintf("%d of its %d models are unavailable: %s", p.down, p.candidates, p.reason)
		case k == alert.CredentialsMissing && p.lacksCredentials():
			v.Value, v.Detail = 1, "the provider has no credential, or rejects it"
		}
		all = append(all, v)
	}
	return all, nil
}

// lacksCredentials reports whether the proxies have no usable credential, or the provider denied
// the last call, and no call has succeeded lately. The reports of the proxies count because the
// router forgets calls after some minutes, and that mends nothing.
func (p *providerHealth) lacksCredentials() bool {
	return p.succeeded == 0 && (p.denied > 0 || p.unusable > 0 && p.usable == 0)
}

func sumProviders(status *routerv1.StatusResponse) (all []*providerHealth) {
	byName := map[string]*providerHealth{}
	for _, c := range status.GetCandidates() {
		name := c.GetCandidate().GetProvider()
		p := byName[name]
		if p == nil {
			p = &providerHealth{name: name}
			byName[name], all = p, append(all, p)
		}
		p.candidates++
		p.succeeded += c.GetSucceeded()
		if c.GetDown() != "" {
			p.down, p.reason = p.down+1, c.GetDown()
		}
		if c.GetFailed() > 0 && c.GetLastCode() == string(apperr.ProviderAuth) {
			p.denied++
		}
	}
	for _, c := range status.GetCredentials() {
		p := byName[c.GetProvider()]
		switch {
		case p == nil: // the policy does not use the provider
		case c.GetRejected() > 0 || c.GetPresent() == 0:
			// Other proxies have perhaps not tried a credential that one proxy knows to be rejected.
			p.unusable++
		default:
			p.usable++
		}
	}
	return all
}

func (s *Source) measureCertificates(now time.Time) (all []alert.Reading) {
	if s.Certificates == nil {
		return nil
	}
	for _, c := range s.Certificates() {
		days := math.Floor(c.Ends.Sub(now).Hours() / 24 * 10)
		all = append(all, alert.Reading{Subject: c.Name, Name: c.Name, Value: days / 10, Detail: "it ends on " + c.Ends.UTC().Format(time.RFC1123)})
	}
	return all
}

func (s *Source) measureCompleteness() []alert.Reading {
	if err := s.CheckCompleteness(); err != nil {
		// The error can name hosts, and the message leaves the installation.
		return []alert.Reading{{Value: 1, Detail: "records of requests are missing or lost, or cannot be counted; the page System has the counts"}}
	}
	return []alert.Reading{{}}
}
