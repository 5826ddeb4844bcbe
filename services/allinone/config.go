package allinone

import (
	"net"
	"net/url"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/dashboard"
	"github.com/signalbox/signalbox/services/keyauth"
	"github.com/signalbox/signalbox/services/proxy"
	"github.com/signalbox/signalbox/services/router"
)

// Config is the settings of the process and of all four services.
type Config struct {
	Process process.Config
	// Data is the directory of all state.
	Data      string
	Keyauth   keyauth.Config
	Router    router.Config
	Proxy     proxy.Config
	Dashboard dashboard.Config
}

// LoadConfig reads flags and environment.
func LoadConfig(args, environ []string) (Config, error) {
	c := Config{Process: process.Config{
		Listen: "127.0.0.1:8080", Telemetry: telemetry.Config{Service: "signalbox", LogFormat: "console"},
	}}
	set := config.New()
	c.Process.Register(set)
	set.String(&c.Data, "data", "./data", "directory of all state")
	c.Proxy.LogRequests = "all"
	c.Proxy.Register(set)
	c.Router.Register(set)
	c.Keyauth.Register(set)
	c.Dashboard.Register(set)
	if err := set.Load(args, environ); err != nil {
		return Config{}, err
	}
	return c, c.complete()
}

// private reports whether only this machine can reach the process. One that
// listens on loopback behind a public address is as public as that.
func (c *Config) private() bool {
	host, _, err := net.SplitHostPort(c.Process.Listen)
	if err != nil || !loopback(host) {
		return false
	}
	public, err := url.Parse(c.Dashboard.PublicURL)
	return c.Dashboard.PublicURL == "" || err == nil && loopback(public.Hostname())
}

// loopback reports whether a host is this machine by its name or address.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
