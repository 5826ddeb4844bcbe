package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/load"
	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

const (
	// stopDrainLimit is short, so that shutdowns also interrupt running streams.
	stopDrainLimit = "500ms"
	// maxStopOutage is the longest time from a stop until the dependency works again, unless
	// the dependency fails until the process has exited.
	maxStopOutage = 3 * time.Second
	// heldStreams is how many endless streams run on a process when it is stopped.
	heldStreams = 2
)

// dependencyFault is the failure of something that the processes depend on.
type dependencyFault struct {
	name string
	// begin starts the fault. The returned function ends it and can be called twice.
	begin func() (end func())
	// inMemory is the process that has records only in its memory during the fault. SIGKILL
	// would lose them, so this process gets only SIGTERM.
	inMemory string
	// endsBeforeExit means that no other place can take the records of the process, so the
	// fault must end while the process still runs.
	endsBeforeExit bool
}

// stopRig stops processes at random moments while a dependency fails.
type stopRig struct {
	*rig
	faults []dependencyFault
	// names lists the processes. Processes that hold records are listed more often.
	names []string
	// stopAll stops processes and returns when all of them have exited.
	stopAll func(stops []processStop)
	// restart returns when all processes are ready again.
	restart func()
	// baseOf returns the address of a process that serves requests, or "".
	baseOf func(name string) string
	tally  map[string]*stopFigures
}

type processStop struct {
	name   string
	signal syscall.Signal
}

func (p processStop) String() string {
	return map[syscall.Signal]string{syscall.SIGTERM: "SIGTERM", syscall.SIGKILL: "SIGKILL"}[p.signal] + " to " + p.name
}

// stopPlan is one random stop.
type stopPlan struct {
	fault dependencyFault
	stops []processStop
	// delay is the time from the start of the fault to the signal.
	delay time.Duration
	// outage is the time from the signal to the end of the fault; 0 means that the fault ends
	// after the exit.
	outage time.Duration
	holds  bool
}

func (p stopPlan) String() string {
	parts := []string{p.fault.name}
	for _, s := range p.stops {
		parts = append(parts, s.String())
	}
	return fmt.Sprintf("%s after %s, outage %s, streams held: %t", strings.Join(parts, ", "), p.delay, p.outage, p.holds)
}

// planStop makes all random choices of one stop.
func (s *stopRig) planStop(rng *rand.Rand) stopPlan {
	p := stopPlan{fault: s.faults[rng.IntN(len(s.faults))], delay: time.Duration(rng.Int64N(int64(time.Second))), holds: rng.IntN(3) == 0}
	first := s.names[rng.IntN(len(s.names))]
	p.stops = append(p.stops, p.randomStop(first, rng))
	if second := s.names[rng.IntN(len(s.names))]; second != first && rng.IntN(4) == 0 {
		p.stops = append(p.stops, p.randomStop(second, rng))
	}
	if p.fault.endsBeforeExit || rng.IntN(4) > 0 {
		p.outage = 1 + time.Duration(rng.Int64N(int64(maxStopOutage)))
	}
	return p
}

// randomStop chooses the signal for a process.
func (p stopPlan) randomStop(name string, rng *rand.Rand) processStop {
	if rng.IntN(4) == 0 && name != p.fault.inMemory {
		return processStop{name, syscall.SIGKILL}
	}
	return processStop{name, syscall.SIGTERM}
}

// run makes n random stops and prints the results of each fault.
func (s *stopRig) run(t *testing.T, n int) {
	s.tally = map[string]*stopFigures{}
	for i := 0; i < n && !t.Failed(); i++ {
		t.Run(fmt.Sprint("stop ", i+1), func(t *testing.T) {
			s.useTest(t)
			s.stopOnce()
		})
	}
	s.useTest(t)
	s.printTally()
}

// stopOnce stops processes under load while a dependency fails, and reconciles afterwards.
// The fault alone costs no request; only those during the stop may fail.
func (s *stopRig) stopOnce() {
	e := s.begin()
	p := s.planStop(e.rng)
	s.t.Logf("stop %d: %s", s.runs, p)
	e.awaitSuccesses(*rate / 4)
	lines := s.holdStreams(p)
	end := p.fault.begin()
	defer end()
	<-time.After(p.delay)
	exit := e.stopDuring(s, p, end)
	e.awaitSuccesses(*rate / 4)
	e.books.Requests = append(lines(), e.load.Stop()...)
	s.count(p, e.finish(), e.books.Requests, exit)
}

// stopDuring stops the processes, ends the fault, and waits until everything is ready again.
// It returns how long the processes took to exit.
func (e *episode) stopDuring(s *stopRig, p stopPlan, end func()) time.Duration {
	from := time.Now()
	var wg sync.WaitGroup
	if p.outage > 0 {
		wg.Go(func() {
			<-time.After(p.outage)
			end()
		})
	}
	s.stopAll(p.stops)
	exit := time.Since(from)
	wg.Wait()
	end()
	s.restart()
	e.books.Outages = append(e.books.Outages, reconcile.Outage{From: from, To: time.Now(), Drains: true})
	return exit
}

// holdStreams starts endless streams on the processes that will be stopped. The returned
// function waits for their ends.
func (s *stopRig) holdStreams(p stopPlan) (lines func() []reconcile.Request) {
	var specs []load.RequestSpec
	for _, stop := range p.stops {
		for range heldStreams {
			spec := load.EndlessStream(load.Mark(s.seed+s.runs, len(specs)), 0, len(specs)%2 == 0)
			spec.Base, spec.Key = s.baseOf(stop.name), s.keys[len(specs)%len(s.keys)]
			if p.holds && spec.Base != "" {
				specs = append(specs, spec)
			}
		}
	}
	all := make([]reconcile.Request, len(specs))
	var wg sync.WaitGroup
	for i, spec := range specs {
		wg.Go(func() { all[i] = load.NewClient().Do(s.t.Context(), spec) })
		require.Eventually(s.t, func() bool { return s.provider.HasReceived(spec.Entry.Mark) }, waitTimeout, pollInterval)
	}
	return func() []reconcile.Request {
		wg.Wait()
		return all
	}
}
