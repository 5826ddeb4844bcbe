package proxy

import (
	"path/filepath"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/telemetry"
)

// Config is the proxy's settings.
type Config struct {
	// Data is the directory of the spool and the snapshots.
	Data string
	// DecideTimeout bounds a routing decision; then the proxy decides itself.
	DecideTimeout time.Duration
	// MaxBody is the longest request body that is read.
	MaxBody int64
	// CaptureBytes is how much of a request's and an answer's content is kept.
	CaptureBytes int64
	// DrainDelay is how long new requests are taken after a stop was asked for.
	DrainDelay time.Duration
	// DrainLimit is how long running requests may go on after that.
	DrainLimit time.Duration

	// The rest is for the service's own binary; a process that hosts the
	// service among others has its own, and no addresses.
	Process process.Config
	Peers   process.Peers
	Router  string
	Keyauth string
	// Redis is the url of the records' carrier.
	Redis config.Secret
}

// LoadConfig reads the settings of the service's own binary.
func LoadConfig(args, environ []string) (Config, error) {
	c := Config{Process: process.Config{
		Listen: "127.0.0.1:8080", Admin: "127.0.0.1:9080", Telemetry: telemetry.Config{Service: "proxy"},
	}}
	set := config.New()
	c.Process.Register(set)
	c.Peers.Register(set)
	set.Secret(&c.Redis, "redis-url", "carrier of the records")
	set.String(&c.Router, "router", "127.0.0.1:7001", "address of the router")
	set.String(&c.Keyauth, "keyauth", "127.0.0.1:7002", "address of the key service")
	c.Register(set)
	err := set.Load(args, environ)
	return c, err
}

// Register adds the settings to a set.
func (c *Config) Register(s *config.Set) {
	s.String(&c.Data, "data", "./data", "directory of the spool and other state")
	s.Duration(&c.DecideTimeout, "decide-timeout", 25*time.Millisecond, "how long a request waits for the router before the proxy decides itself")
	s.Int(&c.MaxBody, "max-body", 32<<20, 1<<10, 1<<30, "longest request body in bytes")
	s.Int(&c.CaptureBytes, "capture-bytes", 64<<10, 0, 1<<20, "how much of a request's and an answer's content is kept, in bytes")
	s.Duration(&c.DrainDelay, "drain-delay", 0, "how long new requests are still taken after a stop was asked for")
	s.Duration(&c.DrainLimit, "drain-limit", 10*time.Minute, "how long running requests may go on after that")
}

func (c *Config) spoolDir() string { return filepath.Join(c.Data, "spool") }

func (c *Config) snapshotDir() string { return filepath.Join(c.Data, "snapshots") }
