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
}

// measureProviders has one reading for each provider of the policy. A provider is down if every
// one of its models is. Its credentials count as missing if it rejected the last call, or if
// the proxy found none, and no call has succeeded lately.
func (s *Source) measureProviders(ctx context.Context, k alert.Kind) ([]alert.Reading, error) {
	status, err := s.Router.Status(ctx, &routerv1.StatusRequest{})
	if err != nil {
		return nil, fmt.Errorf("read the health of providers: %w", err)
	}
	var all []alert.Reading
	for _, p := range sumProviders(status.GetCandidates()) {
		v := alert.Reading{Subject: p.name, Name: p.name}
		switch {
		case k == alert.ProviderDown && p.down == p.candidates:
			v.Value, v.Detail = 1, fmt.Sprintf("%d of its %d models are unavailable: %s", p.down, p.candidates, p.reason)
		case k == alert.CredentialsMissing && p.denied > 0 && p.succeeded == 0:
			v.Value, v.Detail = 1, "the provider has no credential, or rejects it"
		}
		all = append(all, v)
	}
	return all, nil
}

func sumProviders(candidates []*routerv1.CandidateStatus) (all []*providerHealth) {
	byName := map[string]*providerHealth{}
	for _, c := range candidates {
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
