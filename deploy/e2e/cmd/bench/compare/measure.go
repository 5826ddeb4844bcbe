package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// figures are the results of one load on one peer. Times are in microseconds.
type figures struct {
	outcome traffic.Outcome
	Answers int     `json:"answers"`
	Failed  int     `json:"failed"`
	Rate    float64 `json:"per_second"`
	// CPU is the CPU time of the process per response, until the process is idle again.
	// Later is the part of CPU after the last response.
	CPU   float64 `json:"cpu_us"`
	Later float64 `json:"cpu_later_us"`
	// Others is the CPU time per response of the processes that work for the peer.
	Others map[string]float64 `json:"others_cpu_us,omitempty"`
	P50    float64            `json:"p50_us"`
	P99    float64            `json:"p99_us"`
	First  float64            `json:"ttft_p50_us"`
	// RSS is the peak resident memory in MiB.
	RSS float64 `json:"rss_peak_mib"`
	// Foreign is the CPU use of unrelated processes, in percent of the machine.
	Foreign float64 `json:"foreign_cpu_percent"`
}

// cpuSample is the CPU time of the processes at one moment: of the peer, of all
// processes of the bench, and of the machine.
type cpuSample struct {
	peer, ours, busy, whole time.Duration
	others                  map[string]time.Duration
}

func (t *target) sampleCPU() (g cpuSample, err error) {
	all, err := procfs.List()
	if err != nil {
		return g, err
	}
	g.peer, g.others = all.CPUTime(t.pid), map[string]time.Duration{}
	for name, pid := range t.others {
		g.others[name] = all.CPUTime(pid)
	}
	// All measured processes descend from this process.
	g.ours = all.CPUTime(os.Getpid())
	g.busy, g.whole, err = procfs.MachineTime()
	return g, err
}

// measureLoad puts a load on a peer and measures its cost.
func (b *bench) measureLoad(ctx context.Context, s *subject, l traffic.Load) (figures, error) {
	t := s.target
	if err := procfs.ResetPeakMemory(t.pid); err != nil {
		return figures{}, err
	}
	before, err := t.sampleCPU()
	if err != nil {
		return figures{}, err
	}
	o := s.put(ctx, l, b.durationOf(l))
	after, err := t.sampleCPU()
	if err != nil {
		return figures{}, err
	}
	rss, err := procfs.PeakMemory(t.pid)
	if err != nil {
		return figures{}, err
	}
	rested, err := t.awaitIdle(ctx)
	f := computeFigures(o, before, after, rested)
	f.RSS = rss
	return f, err
}

func computeFigures(o traffic.Outcome, before, after, rested cpuSample) figures {
	f := figures{
		outcome: o, Answers: len(o.Took), Failed: o.Failed, Rate: float64(len(o.Took)) / o.Lasted.Seconds(), Others: map[string]float64{},
		CPU: perResponse(rested.peer-before.peer, o), Later: perResponse(rested.peer-after.peer, o),
		P50: traffic.Percentile(o.Took, 50, traffic.Whole), P99: traffic.Percentile(o.Took, 99, traffic.Whole), First: traffic.Percentile(o.Took, 50, traffic.First),
	}
	for name := range maps.Keys(before.others) {
		f.Others[name] = perResponse(rested.others[name]-before.others[name], o)
	}
	foreign := (after.busy - before.busy) - (after.ours - before.ours)
	if all := after.whole - before.whole; all > 0 {
		f.Foreign = max(0, 100*foreign.Seconds()/all.Seconds())
	}
	return f
}

func perResponse(d time.Duration, o traffic.Outcome) float64 {
	if len(o.Took) == 0 {
		return 0
	}
	return stats.Micros(d) / float64(len(o.Took))
}

const (
	// idleInterval is how long all processes must be nearly inactive to count as idle.
	idleInterval = 150 * time.Millisecond
	idleTimeout  = 20 * time.Second
)

// errNotIdle means that the figure would not include all work.
var errNotIdle = errors.New("the processes did not become idle after the last response")

// awaitIdle waits until the peer and the processes that work for it are idle.
// Deferred work is part of the cost of a request, and it would disturb the next
// load.
func (t *target) awaitIdle(ctx context.Context) (last cpuSample, err error) {
	if t.box != nil {
		if _, err := t.box.AwaitRecords(ctx, t.box.Answered); err != nil {
			return last, fmt.Errorf("read the ledger: %w", err)
		}
	}
	if last, err = t.sampleCPU(); err != nil {
		return last, err
	}
	every := time.NewTicker(idleInterval)
	defer every.Stop()
	for until := time.Now().Add(idleTimeout); time.Now().Before(until); {
		select {
		case <-every.C:
		case <-ctx.Done():
			return last, ctx.Err()
		}
		now, err := t.sampleCPU()
		if err != nil || isIdle(last, now) {
			return last, err
		}
		last = now
	}
	return last, errNotIdle
}

// isIdle reports whether no process used more CPU time than one tick, the
// resolution of the clock.
func isIdle(last, now cpuSample) bool {
	if now.peer-last.peer > procfs.Tick {
		return false
	}
	for name, used := range now.others {
		if used-last.others[name] > procfs.Tick {
			return false
		}
	}
	return true
}
