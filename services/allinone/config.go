package allinone

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/dashboard"
	"github.com/signalbox/signalbox/services/keyauth"
	"github.com/signalbox/signalbox/services/proxy"
	"github.com/signalbox/signalbox/services/router"
)

// Config holds the settings of the process and of all four services.
type Config struct {
	Process process.Config
	// Data is the directory that holds all state.
	Data      string
	Keyauth   keyauth.Config
	Router    router.Config
	Proxy     proxy.Config
	Dashboard dashboard.Config
}

// LoadConfig reads the settings from flags and environment variables.
func LoadConfig(args, environ []string) (Config, error) {
	c := Config{Process: process.Config{
		Listen: "127.0.0.1:8080", Telemetry: telemetry.Config{Service: "signalbox", LogFormat: "console"},
	}}
	set := config.New()
	c.Process.Register(set)
	set.String(&c.Data, "data", "./data", "directory that holds all state")
	c.Proxy.LogRequests = "all"
	c.Proxy.Register(set)
	c.Router.Register(set)
	c.Keyauth.Register(set)
	c.Dashboard.Register(set)
	if err := set.Load(args, environ); err != nil {
		return Config{}, err
	}
	c.Process.Telemetry.HasLargeSpans = c.Proxy.TraceContent
	return c, c.applyDerivedDefaults()
}

// applyDerivedDefaults sets the defaults that depend on other settings.
func (c *Config) applyDerivedDefaults() error {
	abs, err := filepath.Abs(c.Data)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	c.Data = abs
	c.Proxy.Data, c.Router.Data, c.Keyauth.Data, c.Dashboard.Data = abs, abs, abs, abs
	if c.Keyauth.Registration == "" {
		c.Keyauth.Registration = "invite"
		// Registration is open only if all requests come from this machine. A trusted
		// proxy may forward requests from other machines.
		if c.isLoopbackOnly() && c.Dashboard.TrustedProxies == "" {
			c.Keyauth.Registration = "open"
		}
	}
	return nil
}

// isLoopbackOnly reports whether only this machine can reach the process. It also
// returns false if the host of the public URL is not a loopback host, because a reverse
// proxy may then forward requests from other machines.
func (c *Config) isLoopbackOnly() bool {
	host, _, err := net.SplitHostPort(c.Process.Listen)
	if err != nil || !isLoopbackHost(host) {
		return false
	}
	public, err := url.Parse(c.Dashboard.PublicURL)
	return c.Dashboard.PublicURL == "" || err == nil && isLoopbackHost(public.Hostname())
}

func isLoopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
