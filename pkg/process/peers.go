package process

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/rpc"
)

// Peers configures how a separately deployed service authenticates to the other services.
type Peers struct {
	// Certs is the directory of certificates. If it is empty, connections are plaintext.
	Certs string
	// Plaintext allows plaintext connections on addresses that other machines can reach.
	Plaintext bool
}

// Register adds the settings to a set.
func (p *Peers) Register(set *config.Set) {
	set.String(&p.Certs, "certs", "", "directory of the services' certificates, as created by signalbox certs")
	set.Bool(&p.Plaintext, "plaintext", false, "allow gRPC without certificates on non-loopback addresses")
}

// Identity loads the certificate of this process. If Certs is empty, it returns nil, and connections
// are plaintext. It then returns an error for non-loopback addresses, unless Plaintext is set. If the
// certificate expires or its renewed files are invalid, ready reports the failed optional check
// "certificate". During the last 30 days, it reports "certificate_ends_soon".
func (p *Peers) Identity(ready *health.Readiness, role string, addrs ...string) (*certs.Identity, error) {
	if p.Certs != "" {
		identity, err := certs.Load(p.Certs, role)
		if err == nil {
			ready.AddOptional("certificate", identity.Err)
			ready.AddOptional("certificate_ends_soon", identity.EndsSoon)
		}
		return identity, err
	}
	var errs []error
	for _, addr := range addrs {
		errs = append(errs, rpc.CheckPlaintext(addr, p.Plaintext))
	}
	return nil, errors.Join(errs...)
}
