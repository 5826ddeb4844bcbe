package control

import (
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// Drains returns what is drained, as far as this proxy knows.
func (r *Router) Drains() *decide.DrainSet { return r.drains.Load() }

// AdoptDrains applies drains that an earlier process stored, until the router sends its own.
func (r *Router) AdoptDrains(d *decide.DrainSet) { r.drains.Store(d) }

func (r *Router) takeDrains(s *routerv1.DrainSnapshot) {
	all := make([]decide.Drain, len(s.GetDrains()))
	for i, d := range s.GetDrains() {
		all[i] = decide.Drain{Provider: d.GetProvider(), Model: d.GetModel()}
	}
	if before := r.drains.Swap(decide.NewDrainSet(all)); len(before.All())+len(all) > 0 {
		r.log.Info("drains changed", "drains", all)
	}
}
