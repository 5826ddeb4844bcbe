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

// admit rejects a caller whose role may not call the method. It logs the rejection,
// because the cause is a misconfigured service or a stolen certificate.
func (s *Server) admit(ctx context.Context, method string) error {
	role := CallerRole(ctx)
	if isHealth(method) || s.isAllowed(role, method) {
		return nil
	}
	if s.rejectionLog.allow() {
		s.log.WarnContext(ctx, "call rejected", "method", method, "role", role)
	}
	return apperr.ToGRPC(apperr.New(apperr.AuthForbidden, "this role may not call this method").
		With("method", method).With("role", role))
}

// isAllowed reports whether a role may call a method. Without certificates, a caller may
// be any of our services, so it may call every method that any service may call.
func (s *Server) isAllowed(role, method string) bool {
	roles := s.allow[method]
	switch {
	case s.secure || role == certs.Operator:
		return slices.Contains(roles, role)
	case role == "" || s.allow == nil:
		return true
	}
	return slices.ContainsFunc(roles, func(r string) bool { return r != certs.Operator })
}

// RoleUnverified is the role of network callers without a certificate. It never has the
// operator's rights.
const RoleUnverified = "unproven"

// CallerRole returns the role in the caller's verified certificate. Callers over the
// local socket have the operator's role. Callers within the same process have no role.
// All other callers are RoleUnverified.
func CallerRole(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return ""
	}
	if info, ok := p.AuthInfo.(credentials.TLSInfo); ok {
		return verifiedRole(info)
	}
	switch networkOf(p.LocalAddr) {
	case "unix":
		return certs.Operator
	case memoryNetwork:
		return ""
	}
	return RoleUnverified
}

func verifiedRole(info credentials.TLSInfo) string {
	if len(info.State.VerifiedChains) == 0 {
		return RoleUnverified
	}
	role, err := certs.RoleOf(info.State.VerifiedChains[0][0])
	if err != nil {
		return RoleUnverified
	}
	return role
}

func networkOf(addr net.Addr) string {
	if addr == nil {
		return ""
	}
	return addr.Network()
}

// logLimiter keeps repeated rejections from flooding the log.
type logLimiter struct {
	mu   sync.Mutex
	last time.Time
}

// allow returns true at most once per second.
func (s *logLimiter) allow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.last) < time.Second {
		return false
	}
	s.last = time.Now()
	return true
}
