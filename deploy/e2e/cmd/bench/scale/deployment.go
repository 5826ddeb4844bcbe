package scale

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

// The components of a deployment, and the two that only make the load.
const (
	balancer  = "balancer"
	proxies   = "proxies"
	router    = "router"
	keyauth   = "keyauth"
	redis     = "redis"
	dashboard = "dashboard"
	postgres  = "postgres"
	generator = "generator"
	upstream  = "upstream"
)

var (
	deployed   = []string{balancer, proxies, router, keyauth, redis, dashboard, postgres}
	components = append(slices.Clone(deployed), generator, upstream)
)

// deployment is a running split deployment behind a balancer.
type deployment struct {
	proxies  int
	box      *rig.Box
	balancer *rig.Balancer
	// steady requests a model by name, with a generator for each proxy, because one alone cannot keep up
	// the rate. auto lets the router decide about each request.
	steady []*traffic.Generator
	auto   *traffic.Generator
	// pids are the processes of each component.
	pids map[string][]int
	// admin is the address of the dashboard's metrics.
	admin string
}

// startDeployment starts a deployment and pins its proxies to cores in turn.
func (r *run) startDeployment(ctx context.Context, n int) (d *deployment, err error) {
	d = &deployment{proxies: n}
	if d.box, err = rig.StartSplit(ctx, r.split, r.bin, r.upstream.Address, n); err != nil {
		return nil, err
	}
	if d.balancer, err = rig.StartBalancer(ctx, d.box.Edges); err != nil {
		d.box.Stop()
		return nil, err
	}
	if d.admin, err = d.box.AdminOf(dashboard); err == nil {
		err = pinToCores(ctx, d.box.ProxyPIDs())
	}
	if err != nil {
		d.stop()
		return nil, err
	}
	d.pids = map[string][]int{
		balancer: {d.balancer.PID()}, proxies: d.box.ProxyPIDs(), generator: {os.Getpid()}, upstream: {r.upstream.PID()},
	}
	for _, name := range []string{router, keyauth, redis, dashboard, postgres} {
		d.pids[name] = []int{d.box.Others[name]}
	}
	d.auto = d.newGenerator(rig.RouteAuto)
	for range n {
		d.steady = append(d.steady, d.newGenerator(rig.ModelChat))
	}
	return d, nil
}

func (d *deployment) newGenerator(model string) *traffic.Generator {
	return &traffic.Generator{Address: d.balancer.Address, Path: "/proxy/v1", Key: d.box.Key, Chat: model, Embed: rig.ModelEmbed}
}

func (d *deployment) stop() {
	for _, g := range d.steady {
		g.Close()
	}
	if d.auto != nil {
		d.auto.Close()
	}
	d.balancer.Stop()
	d.box.Stop()
}

// pinToCores lets each process run on one core only, so that a proxy has the CPU time and the caches of
// one core.
func pinToCores(ctx context.Context, pids []int) error {
	for i, pid := range pids {
		core := strconv.Itoa(i % runtime.NumCPU())
		out, err := exec.CommandContext(ctx, "taskset", "--all-tasks", "--cpu-list", "--pid", core, strconv.Itoa(pid)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("taskset: %w: %s", err, out)
		}
	}
	return nil
}
