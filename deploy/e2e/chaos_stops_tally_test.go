package e2e

import (
	"net/http"
	"syscall"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// stopFigures are the results of the stops during one kind of fault.
type stopFigures struct {
	figures
	stops, terms, kills, refused int
	exit                         time.Duration
}

func (s *stopRig) count(p stopPlan, f figures, requests []reconcile.Request, exit time.Duration) {
	t, ok := s.tally[p.fault.name]
	if !ok {
		t = &stopFigures{}
		s.tally[p.fault.name] = t
	}
	t.add(f)
	t.stops++
	for _, stop := range p.stops {
		if stop.signal == syscall.SIGKILL {
			t.kills++
		} else {
			t.terms++
		}
	}
	for _, r := range requests {
		if r.Status == http.StatusServiceUnavailable {
			t.refused++
		}
	}
	t.exit = max(t.exit, exit)
}

// printTally prints a row for each fault and a row of sums.
func (s *stopRig) printTally() {
	s.t.Logf("chaos| %-34s %5s %5s %5s %8s %6s %7s %6s %6s %7s %7s %6s %6s", "stops while", "stops", "TERM", "KILL", "requests", "cut",
		"refused", "failed", "lost", "doubled", "phantom", "money", "exit s")
	sum := &stopFigures{}
	for _, fault := range s.faults {
		t, ok := s.tally[fault.name]
		if !ok {
			continue
		}
		s.printStops(fault.name, t)
		sum.add(t.figures)
		sum.stops, sum.terms, sum.kills, sum.refused = sum.stops+t.stops, sum.terms+t.terms, sum.kills+t.kills, sum.refused+t.refused
		sum.exit = max(sum.exit, t.exit)
	}
	s.printStops("all of them", sum)
}

func (s *stopRig) printStops(name string, t *stopFigures) {
	d := &t.report
	s.t.Logf("chaos| %-34s %5d %5d %5d %8d %6d %7d %6d %6d %7d %7d %6d %6.1f", name, t.stops, t.terms, t.kills, t.requests, t.cut, t.refused,
		d.Count(reconcile.Failed), d.Count(reconcile.Lost), d.Count(reconcile.Doubled), d.Count(reconcile.Phantom),
		d.Count(reconcile.Money)+d.Count(reconcile.Total)+d.Count(reconcile.Outcome), t.exit.Seconds())
}
