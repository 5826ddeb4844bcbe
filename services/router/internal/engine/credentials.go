package engine

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

const (
	// credentialsMaxAge is how long the report of a proxy counts. Proxies repeat it every
	// ten seconds.
	credentialsMaxAge = 30 * time.Second
	// maxReportingProxies and maxCredentials limit the memory that reports can take.
	maxReportingProxies = 1000
	maxCredentials      = 1000
)

// The states of a credential at a proxy.
const (
	CredentialPresent  = "present"
	CredentialMissing  = "missing"
	CredentialRejected = "rejected"
)

// Credential is whether a proxy has a provider credential. It contains no secret.
type Credential struct{ Provider, Name, State string }

// CredentialStatus is how many proxies have a credential.
type CredentialStatus struct {
	Provider, Name             string
	Present, Missing, Rejected int32
}

// credentials holds the last report of every proxy.
type credentials struct {
	mu      sync.Mutex
	reports map[string]credentialReport
}

type credentialReport struct {
	at  time.Time
	all []Credential
}

// ReportCredentials replaces what is known of the credentials of a proxy.
func (e *Engine) ReportCredentials(proxy string, all []Credential) {
	c := &e.credentials
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropOld(time.Now())
	if c.reports == nil {
		c.reports = map[string]credentialReport{}
	}
	if _, known := c.reports[proxy]; known || len(c.reports) < maxReportingProxies {
		c.reports[proxy] = credentialReport{time.Now(), all[:min(len(all), maxCredentials)]}
	}
}

// Credentials counts in which state the proxies have their credentials, sorted by provider
// and name.
func (e *Engine) Credentials() []CredentialStatus {
	c := &e.credentials
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropOld(time.Now())
	counts := map[[2]string]*CredentialStatus{}
	for _, r := range c.reports {
		for _, one := range r.all {
			name := [2]string{one.Provider, one.Name}
			if counts[name] == nil {
				counts[name] = &CredentialStatus{Provider: one.Provider, Name: one.Name}
			}
			counts[name].add(one.State)
		}
	}
	all := make([]CredentialStatus, 0, len(counts))
	for _, s := range counts {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b CredentialStatus) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func (s *CredentialStatus) add(state string) {
	switch state {
	case CredentialPresent:
		s.Present++
	case CredentialMissing:
		s.Missing++
	case CredentialRejected:
		s.Rejected++
	}
}

func (c *credentials) dropOld(now time.Time) {
	for proxy, r := range c.reports {
		if now.Sub(r.at) > credentialsMaxAge {
			delete(c.reports, proxy)
		}
	}
}
