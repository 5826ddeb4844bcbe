package control

import (
	"slices"
	"time"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// The states of a credential.
const (
	CredentialPresent  = "present"
	CredentialMissing  = "missing"
	CredentialRejected = "rejected"
)

const (
	// credentialsInterval is how often the credentials are checked for changes.
	credentialsInterval = time.Second
	// credentialsRepeat is how often unchanged credentials are reported again. The router
	// forgets a proxy that has not reported for 30 s.
	credentialsRepeat = 10 * time.Second
)

// Credential is the state of a provider credential. It contains no secret.
type Credential struct{ Provider, Name, State string }

// credentialReporter decides when the credentials must be reported. It belongs to one stream.
type credentialReporter struct {
	list   func() []Credential
	sent   []Credential
	sentAt time.Time
}

// next returns a report if the credentials have changed or the last report is old, and nil
// otherwise.
func (c *credentialReporter) next(now time.Time) *routerv1.CredentialReport {
	if c.list == nil {
		return nil
	}
	all := c.list()
	if !c.sentAt.IsZero() && slices.Equal(all, c.sent) && now.Sub(c.sentAt) < credentialsRepeat {
		return nil
	}
	c.sent, c.sentAt = all, now
	r := &routerv1.CredentialReport{}
	for _, one := range all {
		r.Credentials = append(r.Credentials, &routerv1.Credential{Provider: one.Provider, Name: one.Name, State: one.State})
	}
	return r
}
