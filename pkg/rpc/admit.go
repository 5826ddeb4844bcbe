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
// because it points to a misconfigured service or a stolen certificate.
func (s *Server) admit(ctx context.Context, method string) error {
	role := CallerRole(ctx)
	if isHealth(method) || s.isAllowed(role, method) {
		return nil
	}
	if s.refusalLog.allow() {
		s.log.WarnContext(ctx, "call refused", "method", method, "role", role)
	}
	return apperr.ToGRPC(apperr.New(apperr.AuthForbidden, "this role may not call this method").
		With("method", method).With("role", role))
}

// isAllowed reports whether a role may call a method. An unverified caller may be any of
// our services, so it may call what any of them may.
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

// CallerRole returns the role in the verified certificate. It is the operator's for
// callers over the local socket, and empty within one process. All other callers are
// RoleUnverified.
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
