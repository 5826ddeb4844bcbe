package scale

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// settleTime is how long the components have for the work after the last response. It belongs to the
// requests too.
const settleTime = time.Second

// sample is what a deployment has used so far.
type sample struct {
	at      time.Time
	cpu     map[string]time.Duration
	batches float64
}

// window is what a deployment used and did in a time.
type window struct {
	// seconds lasts until the work after the last response is done.
	seconds  float64
	requests int
	// perSecond is the responses per second while there were requests.
	perSecond float64
	// batches is how often the dashboard stored records.
	batches float64
	// cpu is the CPU time in seconds, by component.
	cpu map[string]float64
}

// figures are the results of one number of proxies.
type figures struct {
	proxies int
	idle    window
	// steady and full are the rounds at a fixed rate for each proxy, and with busy clients and
	// decisions of the router.
	steady, full []window
	keys         window
	connections  map[string]int
}

func (d *deployment) sample(ctx context.Context) (sample, error) {
	all, err := procfs.List()
	if err != nil {
		return sample{}, err
	}
	s := sample{at: time.Now(), cpu: map[string]time.Duration{}, batches: rig.ReadMetric(ctx, d.admin, "signalbox_ingest_seconds_count")}
	for name, pids := range d.pids {
		for _, pid := range pids {
			if pid == os.Getpid() { // not its children, which are all other components
				s.cpu[name] += all[pid].Used
				continue
			}
			s.cpu[name] += all.CPUTime(pid)
		}
	}
	return s, nil
}

func newWindow(before, after sample) window {
	w := window{seconds: after.at.Sub(before.at).Seconds(), batches: after.batches - before.batches, cpu: map[string]float64{}}
	for name, used := range after.cpu {
		w.cpu[name] = (used - before.cpu[name]).Seconds()
	}
	return w
}

// measureIdle measures all deployments at once while none has requests. It first waits until the
// databases have finished what the requests before left to do.
func (r *run) measureIdle(ctx context.Context, deployments []*deployment, all []*figures) error {
	if err := pause(ctx, r.idle/2); err != nil {
		return err
	}
	before := make([]sample, len(deployments))
	for i, d := range deployments {
		var err error
		if before[i], err = d.sample(ctx); err != nil {
			return err
		}
	}
	if err := pause(ctx, r.idle); err != nil {
		return err
	}
	for i, d := range deployments {
		after, err := d.sample(ctx)
		if err != nil {
			return err
		}
		all[i].idle = newWindow(before[i], after)
	}
	return nil
}

// measureSteady measures one round at the fixed rate, of all deployments at once.
func (r *run) measureSteady(ctx context.Context, deployments []*deployment, all []*figures) error {
	var group errgroup.Group
	for i, d := range deployments {
		group.Go(func() error {
			w, err := d.runLoad(ctx, steadyLoad(r.rate), r.each)
			all[i].steady = append(all[i].steady, w)
			return err
		})
	}
	return group.Wait()
}

// measureFull measures one round at full load.
func (r *run) measureFull(ctx context.Context, d *deployment, f *figures) error {
	w, err := d.runLoad(ctx, fullLoad(), r.each)
	if err != nil {
		return err
	}
	f.full = append(f.full, w)
	f.connections, err = d.countConnections()
	return err
}

// steadyLoad is the load on one proxy.
func steadyLoad(rate int) traffic.Load {
	return traffic.Load{Name: traffic.LoadSteady, Rate: rate, Bytes: traffic.ChatBytes}
}

func fullLoad() traffic.Load {
	return traffic.Load{Name: traffic.LoadChat, Clients: clientCount, Bytes: traffic.ChatBytes}
}

// runLoad puts a load on the balancer and waits until all records are stored.
func (d *deployment) runLoad(ctx context.Context, l traffic.Load, lasts time.Duration) (window, error) {
	generators := d.steady
	if l.Clients > 0 {
		generators = []*traffic.Generator{d.auto}
	}
	before, err := d.sample(ctx)
	if err != nil {
		return window{}, err
	}
	o := runAll(ctx, generators, l, lasts)
	if o.Failed > 0 {
		return window{}, fmt.Errorf("%d requests failed, first: %w", o.Failed, o.FirstErr)
	}
	d.box.Answered += len(o.Took)
	if err := pause(ctx, settleTime); err != nil {
		return window{}, err
	}
	stored, err := d.box.AwaitRecords(ctx, d.box.Answered)
	if err != nil {
		return window{}, fmt.Errorf("read the ledger: %w", err)
	}
	if stored.Requests != d.box.Answered {
		return window{}, fmt.Errorf("the ledger has %d records of %d responses", stored.Requests, d.box.Answered)
	}
	after, err := d.sample(ctx)
	w := newWindow(before, after)
	w.requests, w.perSecond = len(o.Took), float64(len(o.Took))/o.Lasted.Seconds()
	return w, err
}

// runAll puts the load on all generators at the same time.
func runAll(ctx context.Context, generators []*traffic.Generator, l traffic.Load, lasts time.Duration) (all traffic.Outcome) {
	outcomes := make([]traffic.Outcome, len(generators))
	var wg sync.WaitGroup
	for i, g := range generators {
		wg.Go(func() { outcomes[i] = g.Run(ctx, l, lasts) })
	}
	wg.Wait()
	for _, o := range outcomes {
		all.Merge(o)
		all.Lasted = max(all.Lasted, o.Lasted)
	}
	return all
}

// measureKeys measures what it costs to create keys and to tell all proxies.
func (d *deployment) measureKeys(ctx context.Context, f *figures) error {
	before, err := d.sample(ctx)
	if err != nil {
		return err
	}
	for range keyCount {
		if _, err := d.box.CreateKey(ctx, nil); err != nil {
			return err
		}
	}
	if err := pause(ctx, settleTime); err != nil {
		return err
	}
	after, err := d.sample(ctx)
	f.keys = newWindow(before, after)
	return err
}

func (d *deployment) countConnections() (map[string]int, error) {
	counts := map[string]int{}
	for _, name := range []string{router, keyauth, redis, postgres} {
		n, err := procfs.CountConnections(d.pids[name][0])
		if err != nil {
			return nil, err
		}
		counts[name] = n
	}
	return counts, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
