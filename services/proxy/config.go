package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
)

// Which requests are logged.
const (
	logAll    = "all"
	logFailed = "failed"
	logNone   = "none"
)

const trustedUsage = "balancers whose X-Forwarded-For is believed, as addresses and ranges: 10.0.0.7,10.1.0.0/16"

// Config is the proxy's settings.
type Config struct {
	// Data is the directory of the spool and the snapshots.
	Data string
	// DecideTimeout bounds a routing decision; then the proxy decides itself.
	DecideTimeout time.Duration
	// MaxBody is the longest request body that is read, also decompressed.
	MaxBody int64
	// MaxHeader is how long the headers of a request may be.
	MaxHeader int64
	// HeaderTimeout and BodyTimeout bound how long a client may take to send
	// them; a long body has more time, as long as it arrives steadily.
	HeaderTimeout time.Duration
	BodyTimeout   time.Duration
	// MaxConnections, MaxRequests and MaxBytes bound what is open, what runs,
	// and the memory of the bodies of what runs; 0 means no bound.
	MaxConnections int64
	MaxRequests    int64
	MaxBytes       int64
	// QueueRequests is how many requests may wait for a place, and QueueWait
	// how long.
	QueueRequests int64
	QueueWait     time.Duration
	// KeyRequests bounds the requests of one key that run, where the key has no
	// limit of its own; 0 means no bound.
	KeyRequests int64
	// Proxies is how many proxies share the limits of keys and accounts, while
	// nobody has told.
	Proxies int64
	// LimitsTimeout is how long a request waits for the counters they share.
	LimitsTimeout time.Duration
	// KeepAliveAfter is how long a stream may be silent before its first
	// keep-alive line, KeepAliveEvery how long from then on; 0 means no lines.
	KeepAliveAfter time.Duration
	KeepAliveEvery time.Duration
	// CaptureBytes is how much of a request's and an answer's content is kept.
	CaptureBytes int64
	// SpoolBytes bounds the records on the disk that the store has not
	// confirmed, those of dead processes included. Above 70 % of it the content
	// of the oldest ones is dropped.
	SpoolBytes int64
	// SpoolFull is what happens above 95 %: "metadata" keeps new records
	// without content until there is no room for these either, "shed" refuses
	// new requests.
	SpoolFull string
	// TrustedProxies are the balancers whose word on a client's address is
	// taken.
	TrustedProxies string
	// LogRequests is which requests get a line in the log: "all", "failed" or
	// "none". The ledger has every one.
	LogRequests string
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
	set.Int(&c.Proxies, "proxies", 2, 1, 10_000, "how many proxies share the limits of keys and accounts, as long as Redis has not told")
	set.Duration(&c.LimitsTimeout, "limits-timeout", 50*time.Millisecond, "how long a request waits for Redis to say what is left of its limits, at most 1s, before the proxy goes by its own share")
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
	c.registerLimits(s)
	s.Int(&c.CaptureBytes, "capture-bytes", 64<<10, 0, 1<<20, "how much of a request's and an answer's content is kept, in bytes")
	s.Int(&c.SpoolBytes, "spool-bytes", 1<<30, 16<<20, 1<<40, "room on the disk for records that the store has not confirmed, in bytes; content of the oldest is dropped above 70 %")
	s.OneOf(&c.SpoolFull, "spool-full", spoolMetadata, []string{spoolShed, spoolMetadata}, "above 95 % of the spool's room: keep new records without content (metadata) or refuse new requests with 503 (shed)")
	s.String(&c.TrustedProxies, "trusted-proxies", "", trustedUsage)
	s.OneOf(&c.LogRequests, "log-requests", cmp.Or(c.LogRequests, logFailed), []string{logAll, logFailed, logNone}, "which requests get a line in the log; the ledger has every one")
	s.Duration(&c.DrainDelay, "drain-delay", 0, "how long new requests are still taken after a stop was asked for")
	s.Duration(&c.DrainLimit, "drain-limit", 10*time.Minute, "how long running requests may go on after that")
}

func (c *Config) registerLimits(s *config.Set) {
	s.Int(&c.MaxBody, "max-body", 32<<20, 1<<10, 1<<30, "longest request body in bytes, also after decompression")
	s.Int(&c.MaxHeader, "max-header", 32<<10, 8<<10, 1<<20, "longest headers of a request in bytes")
	s.Duration(&c.HeaderTimeout, "header-timeout", 10*time.Second, "how long a client may take to send the headers")
	s.Duration(&c.BodyTimeout, "body-timeout", 30*time.Second, "how long a client may take to send the body, and longer while 64 KiB arrive each second")
	s.Int(&c.MaxConnections, "max-connections", 10_000, 0, 1<<20, "connections of clients at the same time; 0 means no bound")
	s.Int(&c.MaxRequests, "max-requests", 4096, 0, 1<<20, "requests running at the same time, half of them of one key; the last ones are for accounts with less than their fair share; more wait in the queue, or are refused with 503; 0 means no bound")
	s.Int(&c.MaxBytes, "max-bytes", 256<<20, 0, 1<<40, "memory of the bodies of running requests in bytes, half of it for one key; never more than 40 % of GOMEMLIMIT where that is set; more are refused with 503; 0 means no bound")
	s.Int(&c.QueueRequests, "queue-requests", 128, 0, 1<<20, "requests that may wait for one of max-requests to end, the newest served first")
	s.Duration(&c.QueueWait, "queue-wait", 15*time.Millisecond, "how long they may wait before they are refused with 503")
	s.Int(&c.KeyRequests, "key-requests", 0, 0, 1<<20, "requests of one key running at the same time in this process, where the key has no limit of its own; more are refused with 429; 0 means no bound")
	s.Duration(&c.KeepAliveAfter, "keepalive-after", 10*time.Second, "how long a stream is silent before its first keep-alive line; 0 means none")
	s.Duration(&c.KeepAliveEvery, "keepalive-every", 15*time.Second, "how long a stream is silent between keep-alive lines")
}

// check finds settings that contradict each other.
func (c *Config) check() error {
	if c.MaxBytes > 0 && c.MaxBytes <= c.MaxBody {
		return fmt.Errorf("--max-bytes=%d: must be more than --max-body=%d, or the longest body is never taken", c.MaxBytes, c.MaxBody)
	}
	if c.KeepAliveAfter > 0 && c.KeepAliveEvery == 0 {
		return errors.New("--keepalive-every: must be more than 0; to have no keep-alive lines set --keepalive-after=0")
	}
	return nil
}

func (c *Config) limits() api.Limits {
	return api.Limits{Body: c.MaxBody, BodyTimeout: c.BodyTimeout, PerKey: c.KeyRequests}
}

func (c *Config) snapshotDir() string { return filepath.Join(c.Data, "snapshots") }
