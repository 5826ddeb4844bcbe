package rpc

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/certs"
)

// admit refuses a caller whose role may not call the method. The refusal is
// logged, unlike others: a service was set up wrongly, or a certificate stolen.
func (s *Server) admit(ctx context.Context, method string) error {
	role := CallerRole(ctx)
	if isHealth(method) || s.may(role, method) {
		return nil
	}
	if s.refused.again() {
		s.log.WarnContext(ctx, "call refused", "method", method, "role", role)
	}
	return apperr.ToGRPC(apperr.New(apperr.AuthForbidden, "this role may not call this method").
		With("method", method).With("role", role))
}

// may is whether a role may call a method. Who is Unproven may be any service
// of ours, and so may call what one of them may.
func (s *Server) may(role, method string) bool {
	roles := s.allow[method]
	switch {
	case s.secure || role == certs.Operator:
		return slices.Contains(roles, role)
	case role == "" || s.allow == nil:
		return true
	}
	return slices.ContainsFunc(roles, func(r string) bool { return r != certs.Operator })
}

// Unproven is the role of who comes over a network without a certificate. It
// is never the operator's.
const Unproven = "unproven"

// CallerRole is the role in the certificate that the handshake has verified,
// the operator's for whoever may open our socket in the file system, and empty
// within one process. Everybody else is Unproven.
func CallerRole(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return ""
	}
	if info, ok := p.AuthInfo.(credentials.TLSInfo); ok {
		return provenRole(info)
	}
	switch network(p.LocalAddr) {
	case "unix":
		return certs.Operator
	case memoryNetwork:
		return ""
	}
	return Unproven
}

func provenRole(info credentials.TLSInfo) string {
	if len(info.State.VerifiedChains) == 0 {
		return Unproven
	}
	role, err := certs.RoleOf(info.State.VerifiedChains[0][0])
	if err != nil {
		return Unproven
	}
	return role
}

func network(addr net.Addr) string {
	if addr == nil {
		return ""
	}
	return addr.Network()
}

// seldom keeps whoever is refused again and again from filling the log.
type seldom struct {
	mu   sync.Mutex
	last time.Time
}

// again is true at first and then at most once a second.
func (s *seldom) again() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.last) < time.Second {
		return false
	}
	s.last = time.Now()
	return true
}
