package process

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/rpc"
)

// Peers is how a service of the split shape knows the others.
type Peers struct {
	// Certs is the folder of certificates; empty means plaintext.
	Certs string
	// Plaintext allows that beyond this machine.
	Plaintext bool
}

// Register adds the settings to a set.
func (p *Peers) Register(set *config.Set) {
	set.String(&p.Certs, "certs", "", "folder of the certificates that services know each other by, as made by signalbox certs")
	set.Bool(&p.Plaintext, "plaintext", false, "allow gRPC without certificates on addresses beyond this machine")
}

// Identity is who this process is to its peers; nil when it talks in plain
// text, which is refused for addresses beyond this machine. A certificate that
// cannot be renewed is shown by ready, long before it ends.
func (p *Peers) Identity(ready *health.Readiness, role string, addrs ...string) (*certs.Identity, error) {
	if p.Certs != "" {
		identity, err := certs.Load(p.Certs, role)
		if err == nil {
			ready.Want("certificate", identity.Err)
		}
		return identity, err
	}
	var errs []error
	for _, addr := range addrs {
		errs = append(errs, rpc.CheckPlaintext(addr, p.Plaintext))
	}
	return nil, errors.Join(errs...)
}
