package control

import (
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/rollout"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// Prepare prepares policies before they are used: the stable one, and the candidate of a rollout
// or nil.
type Prepare func(stable, candidate *policy.Policy) error

// policies are the policies in use. They never change.
type policies struct {
	stable *policy.Policy
	// candidate and rollout are nil without a rollout.
	candidate *policy.Policy
	rollout   *ledger.Rollout
}

// Choice is the policy for a request.
type Choice struct {
	// Policy is nil if the proxy has received none yet.
	Policy *policy.Policy
	// Rollout is nil if no rollout is open.
	Rollout *ledger.Rollout
}

// Choose returns the policy for a session of an account or, without a session, for a key. A
// session keeps its policy while the share grows. Without a connection to the router, the stable
// policy serves all requests, because the proxy would not learn of a rollback.
func (r *Router) Choose(account, subject string) Choice {
	u := r.inUse.Load()
	switch {
	case u == nil:
		return Choice{}
	case u.rollout == nil || !r.up.Load():
		return Choice{Policy: u.stable}
	case rollout.InShare(u.rollout.ID, u.rollout.Share, account, subject):
		return Choice{Policy: u.candidate, Rollout: u.rollout}
	}
	return Choice{Policy: u.stable, Rollout: u.rollout}
}

// policyNamed returns the policy in use with this version, or other if none has it. The router
// may have decided with the stable policy because it does not know the candidate.
func (r *Router) policyNamed(version string, other *policy.Policy) *policy.Policy {
	u := r.inUse.Load()
	switch {
	case u != nil && u.stable.Version() == version:
		return u.stable
	case u != nil && u.candidate != nil && u.candidate.Version() == version:
		return u.candidate
	}
	return other
}

// takeRollout applies the state of the rollout. If the candidate cannot be used, the stable
// policy serves all requests.
func (r *Router) takeRollout(s *routerv1.RolloutSnapshot, changed Prepare) error {
	now := r.inUse.Load()
	next, err := decodeRollout(now, s)
	if err == nil && next.candidate != now.candidate {
		err = changed(next.stable, next.candidate)
	}
	if err != nil {
		next = &policies{stable: now.stable}
	}
	r.inUse.Store(next)
	if next.rollout != nil {
		r.log.Info("rollout changed", "rollout", next.rollout.ID, "candidate", next.rollout.Candidate, "share", next.rollout.Share)
	} else if now.rollout != nil {
		r.log.Info("rollout ended", "rollout", now.rollout.ID)
	}
	return err
}

func decodeRollout(now *policies, s *routerv1.RolloutSnapshot) (*policies, error) {
	if s.GetId() == "" {
		return &policies{stable: now.stable}, nil
	}
	candidate := now.candidate
	if candidate == nil || candidate.Version() != s.GetCandidate().GetVersion() {
		var err error
		if candidate, err = decodeSnapshot(s.GetCandidate()); err != nil {
			return nil, err
		}
	}
	return &policies{stable: now.stable, candidate: candidate, rollout: &ledger.Rollout{
		ID: s.GetId(), Stable: now.stable.Version(), Candidate: candidate.Version(), Share: s.GetShare(),
	}}, nil
}
