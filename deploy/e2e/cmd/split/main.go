// Command split runs the split shape on this machine: Redis, Postgres, the four
// services, any number of proxies and a balancer in front of them, each on a
// free port. When all is ready it prints one JSON line that says where
// everything is, and then stays until it is told to stop; the services' logs go
// to standard error. A service that dies is started again, as a cluster would.
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
	"github.com/signalbox/signalbox/pkg/testenv"
)

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "bin", "folder of the binaries")
	flag.IntVar(&o.proxies, "proxies", 2, "how many proxies")
	flag.StringVar(&o.policy, "config", "", "policy file")
	flag.BoolVar(&o.emulate, "emulate", false, "serve emulated vendors, and route to them if no policy file is given")
	flag.DurationVar(&o.delay, "drain-delay", 2*time.Second, "how long a stopping proxy still takes requests")
	flag.StringVar(&o.redis, "redis", "", "url of a Redis to use instead of a throw-away one")
	flag.StringVar(&o.postgres, "postgres", "", "url of an empty database to use instead of a throw-away one, as its superuser")
	flag.StringVar(&o.data, "data", "", "directory to use instead of a throw-away one")
	flag.Func("set", "a setting of every service, as in SIGNALBOX_LOG_LEVEL=debug; may be repeated", func(kv string) error {
		o.settings = append(o.settings, kv)
		return nil
	})
	tied := flag.Bool("until-eof", false, "stop when standard input ends, as it does when the parent dies")
	flag.Parse()
	if o.proxies < 1 || o.proxies > mostProxies {
		fmt.Fprintf(os.Stderr, "split: -proxies=%d: must be from 1 to %d\n", o.proxies, mostProxies)
		os.Exit(2)
	}
	ctx, stop := lifecycle.Signals(context.Background())
	if *tied {
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

// mostProxies is beyond what one machine has any use for.
const mostProxies = 64

// options are what the flags say.
type options struct {
	bin, policy           string
	emulate               bool
	proxies               int
	delay                 time.Duration
	redis, postgres, data string
	settings              []string
}

// whereabouts is what is printed.
type whereabouts struct {
	BaseURL      string         `json:"base_url"`
	DashboardURL string         `json:"dashboard_url"`
	Proxies      []string       `json:"proxies"`
	RedisURL     string         `json:"redis_url"`
	PostgresURL  string         `json:"postgres_url"`
	PIDs         map[string]int `json:"pids"`
	Emulated     string         `json:"emulated,omitempty"`
	Data         string         `json:"data"`
	Key          string         `json:"key"`
	Operator     operator       `json:"operator"`
}

func run(ctx context.Context, o options) (err error) {
	if o.data == "" {
		if o.data, err = os.MkdirTemp("", "signalbox-split-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.data)) }()
	}
	pids := map[string]int{}
	stop, err := o.servers(pids)
	defer stop()
	if err != nil {
		return err
	}
	emulated, silence, err := o.vendors()
	defer silence()
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
	where, err := c.settle(ctx)
	if err != nil {
		return err
	}
	where.RedisURL, where.PostgresURL, where.Data, where.Emulated = o.redis, o.postgres, o.data, emulated
	maps.Copy(where.PIDs, pids)
	if err := json.NewEncoder(os.Stdout).Encode(where); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// servers starts those that were not named. The stop is never nil.
func (o *options) servers(pids map[string]int) (stop func(), err error) {
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
		s.Keep()
		*url, pids[name] = s.URL, s.PID()
		return nil
	}
	err = add("redis", &o.redis, func() (*testenv.Server, error) {
		return testenv.StartRedis("--maxmemory-policy", "noeviction", "--appendonly", "yes")
	})
	return stop, errors.Join(err, add("postgres", &o.postgres, testenv.StartPostgres))
}
