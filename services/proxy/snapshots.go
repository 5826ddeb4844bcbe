package proxy

import (
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/snapshot"
)

// loadSnapshots loads the keys, the policy and the drains that an earlier process stored, so that this
// process can serve before it reaches the control plane.
func (s *Service) loadSnapshots() error {
	dir, err := snapshot.Open(s.cfg.snapshotDir(), s.deps.Log)
	if err != nil {
		return err
	}
	s.cache.OnChange(func(k keys.Known) {
		dir.AppendChange(k)
		if s.running != nil {
			s.running.EndRevoked(k)
		}
	})
	if known, ok := dir.LoadKeys(); ok {
		usable := s.cache.Import(known)
		s.hasStoredKeys = usable > 0
		s.deps.Log.Info("keys loaded from snapshot", "usable", usable, "known", len(known.Known))
	}
	if p := dir.LoadPolicy(); p != nil {
		if err := s.router.Adopt(p, s.applyPolicies); err != nil {
			s.deps.Log.Error("policy snapshot is unusable: waiting for the router's policy", "error", err)
		}
	}
	s.router.AdoptDrains(dir.LoadDrains())
	s.snapshots = snapshot.NewKeeper(dir, snapshot.Source{Keys: s.cache, Policy: s.router.Policy, Drains: s.router.Drains})
	return nil
}
