// Command split runs the split deployment on this machine: Redis, Postgres, the
// four services with any number of proxies and routers, and a balancer, each on a free port.
// When everything is ready it prints one JSON line with all addresses and runs
// until it is stopped. The services log to standard error. A service that exits is
// restarted.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "bin", "directory of the binaries")
	flag.IntVar(&o.proxies, "proxies", 2, "number of proxies")
	flag.IntVar(&o.routers, "routers", 1, "number of routers; the proxies are spread over them")
	flag.StringVar(&o.policy, "config", "", "policy file")
	flag.BoolVar(&o.emulate, "emulate", false, "serve emulated vendors, and route to them if no policy file is given")
	flag.DurationVar(&o.drainDelay, "drain-delay", 2*time.Second, "how long a draining proxy still accepts requests")
	flag.StringVar(&o.redis, "redis", "", "URL of a Redis to use instead of a temporary one")
	flag.StringVar(&o.postgres, "postgres", "", "URL, with superuser credentials, of an empty database to use instead of a temporary one")
	flag.StringVar(&o.data, "data", "", "data directory to use instead of a temporary one")
	flag.Func("set", "setting for every service, for example SIGNALBOX_LOG_LEVEL=debug; may be repeated", func(kv string) error {
		o.settings = append(o.settings, kv)
		return nil
	})
	untilEOF := flag.Bool("until-eof", false, "stop when standard input closes, which happens when the parent process exits")
	flag.Parse()
	if o.proxies < 1 || o.proxies > maxProxies || o.routers < 1 || o.routers > o.proxies {
		fmt.Fprintf(os.Stderr, "split: -proxies=%d -routers=%d: there must be from 1 to %d proxies, and at most as many routers\n", o.proxies, o.routers, maxProxies)
		os.Exit(2)
	}
	ctx, stop := lifecycle.NotifySignals(context.Background())
	if *untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "split:", err)
		os.Exit(1)
	}
}

// maxProxies protects against a typing error in the flag.
const maxProxies = 64

// options holds the values of the flags.
type options struct {
	bin, policy           string
	emulate               bool
	proxies, routers      int
	drainDelay            time.Duration
	redis, postgres, data string
	settings              []string
}

// startupInfo is the JSON line that is printed when everything is ready.
type startupInfo struct {
	BaseURL      string         `json:"base_url"`
	DashboardURL string         `json:"dashboard_url"`
	Proxies      []string       `json:"proxies"`
	RedisURL     string         `json:"redis_url"`
	PostgresURL  string         `json:"postgres_url"`
	PIDs         map[string]int `json:"pids"`
	// Admin holds the addresses with /metrics, by name of the service.
	Admin    map[string]string `json:"admin"`
	Emulated string            `json:"emulated,omitempty"`
	Data     string            `json:"data"`
	Key      string            `json:"key"`
	Operator operator          `json:"operator"`
}

func run(ctx context.Context, o options) (err error) {
	if o.data == "" {
		if o.data, err = os.MkdirTemp("", "signalbox-split-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.data)) }()
	}
	pids := map[string]int{}
	stop, err := o.startServers(pids)
	defer stop()
	if err != nil {
		return err
	}
	emulated, stopVendors, err := o.startVendors()
	defer stopVendors()
	if err != nil {
		return err
	}
	c, err := newCluster(o)
	if err != nil {
		return err
	}
	defer c.stop()
	if err := c.start(ctx); err != nil {
		return err
	}
	info, err := c.bootstrap(ctx)
	if err != nil {
		return err
	}
	info.RedisURL, info.PostgresURL, info.Data, info.Emulated = o.redis, o.postgres, o.data, emulated
	maps.Copy(info.PIDs, pids)
	if err := json.NewEncoder(os.Stdout).Encode(info); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// startServers starts Redis and Postgres unless a URL is given. The returned function
// stops them and is never nil.
func (o *options) startServers(pids map[string]int) (stop func(), err error) {
	var all []*testenv.Server
	stop = func() {
		for _, s := range slices.Backward(all) {
			s.Stop()
		}
	}
	add := func(name string, url *string, start func() (*testenv.Server, error)) error {
		if *url != "" {
			return nil
		}
		s, err := start()
		if err != nil {
			return err
		}
		all = append(all, s)
		s.KeepRunning()
		*url, pids[name] = s.URL, s.PID()
		return nil
	}
	err = add("redis", &o.redis, func() (*testenv.Server, error) {
		// As in docker-compose.yml, which gives the reasons.
		return testenv.StartRedis("--maxmemory-policy", "noeviction", "--appendonly", "yes", "--auto-aof-rewrite-min-size", "512mb", "--rdbcompression", "no")
	})
	return stop, errors.Join(err, add("postgres", &o.postgres, testenv.StartPostgres))
}
