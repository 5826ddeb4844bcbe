package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

const (
	// startTimeout limits how long all services together may take to become ready.
	startTimeout       = 90 * time.Second
	startProbeInterval = 50 * time.Millisecond
)

type operator struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// service is a child with its addresses.
type service struct {
	*child
	addr, admin string
}

// cluster holds all services and the balancer.
type cluster struct {
	keyauth, dashboard *service
	routers, proxies   []*service
	balancer           *balancer
	certs              string
	cancel             context.CancelFunc
}

func newCluster(o options) (*cluster, error) {
	c := &cluster{cancel: func() {}, certs: filepath.Join(o.data, "certs")}
	if err := runSignalbox(o.bin, nil, "certs", "--dir", c.certs); err != nil {
		return nil, err
	}
	stores, err := createLogins(o.bin, o.postgres)
	if err != nil {
		return nil, err
	}
	var errs []error
	add := func(name, binary string, env ...string) *service {
		env = append(env, "SIGNALBOX_CERTS="+c.certs)
		if url, ok := stores[binary]; ok {
			env = append(env, "SIGNALBOX_POSTGRES_URL="+url)
		}
		s, err := newService(o.bin, o.data, name, binary, append(env, o.settings...))
		errs = append(errs, err)
		return s
	}
	c.keyauth = add("keyauth", "keyauth", "SIGNALBOX_REGISTRATION=open")
	for i := range o.routers {
		c.routers = append(c.routers, add(routerName(i), "router", "SIGNALBOX_CONFIG="+o.policy))
	}
	if errors.Join(errs...) != nil {
		return nil, errors.Join(errs...)
	}
	peersOf := func(router int) []string {
		return []string{"SIGNALBOX_KEYAUTH=" + c.keyauth.addr, "SIGNALBOX_ROUTER=" + c.routers[router].addr, "SIGNALBOX_REDIS_URL=" + o.redis}
	}
	if c.balancer, err = newBalancer(); err != nil {
		return nil, err
	}
	c.dashboard = add("dashboard", "dashboard", append(peersOf(0), "SIGNALBOX_EDGE_URL="+c.balancer.url(), "SIGNALBOX_PROXY="+c.balancer.url())...)
	for i := range o.proxies {
		// The drain delay gives the balancer and the clients time to avoid a proxy that
		// is about to stop.
		p := add(fmt.Sprintf("proxy-%d", i+1), "proxy", append(peersOf(i%o.routers),
			"SIGNALBOX_DRAIN_DELAY="+o.drainDelay.String(), "SIGNALBOX_PUBLIC_URL=http://"+c.dashboard.addr)...)
		c.proxies = append(c.proxies, p)
		c.balancer.addBackend(p.addr, "http://"+p.addr+"/readyz")
	}
	return c, errors.Join(errs...)
}

// routerName returns the name of a router. The first one has the name of a single router.
func routerName(index int) string {
	if index == 0 {
		return "router"
	}
	return fmt.Sprintf("router-%d", index+1)
}

func newService(bin, data, name, binary string, env []string) (*service, error) {
	addr, err := reserveAddress()
	if err != nil {
		return nil, err
	}
	admin, err := reserveAddress()
	if err != nil {
		return nil, err
	}
	own := filepath.Join(data, name)
	if err := os.MkdirAll(own, 0o700); err != nil {
		return nil, err
	}
	env = append(env, "SIGNALBOX_LISTEN="+addr, "SIGNALBOX_ADMIN="+admin, "SIGNALBOX_DATA="+own)
	// Every service gets the upstream credentials of the environment.
	env = append(env, upstreamSecretEnv()...)
	return &service{child: newChild(bin, name, binary, env), addr: addr, admin: admin}, nil
}

func reserveAddress() (string, error) {
	port, err := testenv.ReservePort()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}

// start starts all services at once; no service depends on the start order.
func (c *cluster) start(ctx context.Context) error {
	ctx, c.cancel = context.WithCancel(ctx)
	for _, s := range c.services() {
		s.run()
	}
	c.balancer.run(ctx)
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client := &http.Client{Timeout: dialTimeout}
	for _, s := range c.services() {
		for !respondsOK(client, "http://"+s.admin+"/readyz") {
			select {
			case <-time.After(startProbeInterval):
			case <-ctx.Done():
				return fmt.Errorf("%s did not become ready", s.name)
			}
		}
	}
	return nil
}

func (c *cluster) services() []*service {
	return slices.Concat([]*service{c.keyauth}, c.routers, []*service{c.dashboard}, c.proxies)
}

// bootstrap creates and claims the operator's account and returns the startup
// info.
func (c *cluster) bootstrap(ctx context.Context) (*startupInfo, error) {
	identity, err := certs.Load(c.certs, certs.Operator)
	if err != nil {
		return nil, err
	}
	conn, err := rpc.Dial(c.keyauth.addr, rpc.ClientConfig{Identity: identity, Peer: certs.Keyauth})
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	accounts := keyauthv1.NewAccountServiceClient(conn)
	// On a busy machine, hashing the password can take longer than a call may take by default.
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	made, err := accounts.Bootstrap(ctx, &keyauthv1.BootstrapRequest{Name: "operator"})
	if err != nil {
		return nil, fmt.Errorf("bootstrap: %w", err)
	}
	op := operator{Email: "operator@example.com", Password: "correct horse battery"}
	_, err = accounts.Claim(ctx, &keyauthv1.ClaimRequest{Token: made.GetClaimToken(), Email: op.Email, Password: op.Password})
	if err != nil {
		return nil, fmt.Errorf("claim: %w", err)
	}
	w := &startupInfo{
		BaseURL: c.balancer.url(), DashboardURL: "http://" + c.dashboard.addr, PIDs: map[string]int{}, Admin: map[string]string{}, Key: made.GetKey(), Operator: op,
	}
	for _, s := range c.services() {
		w.PIDs[s.name], w.Admin[s.name] = int(s.pid.Load()), s.admin
	}
	for _, p := range c.proxies {
		w.Proxies = append(w.Proxies, "http://"+p.addr)
	}
	return w, nil
}

// stop stops the proxies first, so that the other services outlive the last
// request.
func (c *cluster) stop() {
	for _, p := range c.proxies {
		if p.stop != nil {
			p.stop()
		}
	}
	all := c.services()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].stop != nil {
			all[i].stopAndWait()
		}
	}
	c.cancel()
}
