package proxy

import (
	"github.com/signalbox/signalbox/services/proxy/internal/snapshot"
)

// remember takes over what an earlier proxy knew, so that this one can serve
// before, and without, reaching the control plane.
func (s *Service) remember() error {
	dir, err := snapshot.Open(s.cfg.snapshotDir(), s.deps.Log)
	if err != nil {
		return err
	}
	s.cache.OnChange(dir.Changed)
	if known, ok := dir.Keys(); ok {
		usable := s.cache.Import(known)
		s.remembers = usable > 0
		s.deps.Log.Info("keys remembered", "usable", usable, "known", len(known.Known))
	}
	if p := dir.Policy(); p != nil {
		if err := s.router.Adopt(p, s.adopt); err != nil {
			s.deps.Log.Error("the policy of the last run cannot be used", "error", err)
		}
	}
	s.snapshots = snapshot.NewKeeper(dir, snapshot.Source{Keys: s.cache, Policy: s.router.Policy})
	return nil
}
