package allinone

import (
	"net"

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
	c.Proxy.Register(set)
	c.Router.Register(set)
	c.Keyauth.Register(set)
	c.Dashboard.Register(set)
	if err := set.Load(args, environ); err != nil {
		return Config{}, err
	}
	return c, c.complete()
}

// loopback reports whether only this machine can reach the address.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
