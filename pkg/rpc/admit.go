package rpc

import (
	"context"
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
	if !s.secure && role == "" || isHealth(method) {
		return nil
	}
	if role != "" && slices.Contains(s.allow[method], role) {
		return nil
	}
	if s.refused.again() {
		s.log.WarnContext(ctx, "call refused", "method", method, "role", role)
	}
	return apperr.ToGRPC(apperr.New(apperr.AuthForbidden, "this role may not call this method").
		With("method", method).With("role", role))
}

// CallerRole is the role in the certificate that the handshake has verified,
// the operator's for whoever may open our socket in the file system, or empty:
// within one process, or in plaintext, nobody has a role.
func CallerRole(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return ""
	}
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	switch {
	case !ok && p.LocalAddr != nil && p.LocalAddr.Network() == "unix":
		return certs.Operator
	case !ok || len(info.State.VerifiedChains) == 0:
		return ""
	}
	role, err := certs.RoleOf(info.State.VerifiedChains[0][0])
	if err != nil {
		return ""
	}
	return role
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
