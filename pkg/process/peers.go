package process

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/rpc"
)

// Peers configures how a service of the split deployment authenticates to the other services.
type Peers struct {
	// Certs is the directory of certificates; empty means plaintext.
	Certs string
	// Plaintext allows plaintext on addresses that other machines can reach.
	Plaintext bool
}

// Register adds the settings to a set.
func (p *Peers) Register(set *config.Set) {
	set.String(&p.Certs, "certs", "", "directory of the services' certificates, as created by signalbox certs")
	set.Bool(&p.Plaintext, "plaintext", false, "allow gRPC without certificates on non-loopback addresses")
}

// Identity returns the certificate identity of this process. It is nil for plaintext, which is
// rejected for non-loopback addresses unless Plaintext is set. If the certificate expires or
// its renewed files are invalid, ready reports the optional check "certificate" as failed.
func (p *Peers) Identity(ready *health.Readiness, role string, addrs ...string) (*certs.Identity, error) {
	if p.Certs != "" {
		identity, err := certs.Load(p.Certs, role)
		if err == nil {
			ready.AddOptional("certificate", identity.Err)
		}
		return identity, err
	}
	var errs []error
	for _, addr := range addrs {
		errs = append(errs, rpc.CheckPlaintext(addr, p.Plaintext))
	}
	return nil, errors.Join(errs...)
}
