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
	"os"
	"time"

	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/testenv"
)

func main() {
	bin := flag.String("bin", "bin", "folder of the binaries")
	proxies := flag.Int("proxies", 2, "how many proxies")
	policy := flag.String("config", "", "policy file")
	delay := flag.Duration("drain-delay", 2*time.Second, "how long a stopping proxy still takes requests")
	tied := flag.Bool("until-eof", false, "stop when standard input ends, as it does when the parent dies")
	flag.Parse()
	if *proxies < 1 || *proxies > mostProxies {
		fmt.Fprintf(os.Stderr, "split: -proxies=%d: must be from 1 to %d\n", *proxies, mostProxies)
		os.Exit(2)
	}
	ctx, stop := lifecycle.Signals(context.Background())
	if *tied {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	err := run(ctx, options{bin: *bin, policy: *policy, proxies: *proxies, delay: *delay})
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
	bin, policy string
	proxies     int
	delay       time.Duration
}

// whereabouts is what is printed.
type whereabouts struct {
	BaseURL      string         `json:"base_url"`
	DashboardURL string         `json:"dashboard_url"`
	Proxies      []string       `json:"proxies"`
	RedisURL     string         `json:"redis_url"`
	PostgresURL  string         `json:"postgres_url"`
	PIDs         map[string]int `json:"pids"`
	Data         string         `json:"data"`
	Key          string         `json:"key"`
	Operator     operator       `json:"operator"`
}

func run(ctx context.Context, o options) (err error) {
	data, err := os.MkdirTemp("", "signalbox-split-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	redis, err := testenv.StartRedis("--maxmemory-policy", "noeviction", "--appendonly", "yes")
	if err != nil {
		return err
	}
	defer redis.Stop()
	redis.Keep()
	postgres, err := testenv.StartPostgres()
	if err != nil {
		return err
	}
	defer postgres.Stop()
	postgres.Keep()
	c, err := newCluster(o, data, redis.URL, postgres.URL)
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
	where.RedisURL, where.PostgresURL, where.Data = redis.URL, postgres.URL, data
	where.PIDs["redis"], where.PIDs["postgres"] = redis.PID(), postgres.PID()
	if err := json.NewEncoder(os.Stdout).Encode(where); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
