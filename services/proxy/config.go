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
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// The values of LogRequests.
const (
	logAll    = "all"
	logFailed = "failed"
	logNone   = "none"
)

const trustedUsage = "load balancers whose X-Forwarded-For is trusted, as addresses and ranges: 10.0.0.7,10.1.0.0/16"

// Config holds the settings of the proxy.
type Config struct {
	// Data is the directory of the spool and the snapshots.
	Data string
	// DecideTimeout limits the wait for the router. If it expires, the proxy decides itself.
	DecideTimeout time.Duration
	// MaxBody is the maximum size of a request body in bytes, also after decompression.
	MaxBody int64
	// MaxHeader is the maximum size of the request headers in bytes.
	MaxHeader int64
	// HeaderTimeout limits how long a client may take to send the headers.
	HeaderTimeout time.Duration
	// BodyTimeout limits how long a client may take to send the body. A large body gets more
	// time as its data arrives.
	BodyTimeout time.Duration
	// MaxConnections limits the open connections. 0 means no limit.
	MaxConnections int64
	// MaxRequests limits the concurrent requests. 0 means no limit.
	MaxRequests int64
	// MaxBytes limits the memory of the bodies of concurrent requests. If GOMEMLIMIT is set,
	// 40 % of it is a limit too. 0 means no other limit.
	MaxBytes int64
	// KeyRequests limits the concurrent requests of a key that has no limit of its own. 0 means
	// no limit.
	KeyRequests int64
	// Proxies is the assumed number of proxies that share the limits, until Redis reports the
	// real number.
	Proxies int64
	// KeepAliveAfter is how long a stream may be silent before its first keep-alive line. 0
	// means no lines.
	KeepAliveAfter time.Duration
	// KeepAliveEvery is the interval between further keep-alive lines.
	KeepAliveEvery time.Duration
	// ShadowWorkers is the number of concurrent comparisons of experiments. 0 disables them.
	ShadowWorkers int64
	// EndRevoked ends requests in progress when their key is revoked.
	EndRevoked bool
	// CaptureBytes is the maximum number of bytes to capture from a request, and from a response.
	CaptureBytes int64
	// SpoolBytes limits the disk space for records that have not reached the ledger yet,
	// including those of earlier processes. Above 70 % the content of the oldest records is
	// dropped.
	SpoolBytes int64
	// SpoolFull is the behaviour above 95 % of SpoolBytes. "metadata" writes new records without
	// content until the spool is full. "shed" rejects new requests.
	SpoolFull string
	// TrustedProxies are the load balancers whose X-Forwarded-For is trusted.
	TrustedProxies string
	// PublicURL is the origin of the dashboard. Errors link to the documentation there.
	PublicURL string
	// LogRequests selects the requests that are logged: "all", "failed" or "none". It does not
	// affect the ledger.
	LogRequests string
	// TraceUpstreams passes the trace of a request on to upstreams, in the header traceparent.
	TraceUpstreams bool
	// TraceContent adds captured requests and responses to the spans.
	TraceContent bool
	// DrainDelay is how long new requests are still accepted after a shutdown was requested.
	DrainDelay time.Duration
	// DrainLimit is how long requests in progress may take after DrainDelay.
	DrainLimit time.Duration
	// keyTimeouts limit the checks of keys. Only tests change them.
	keyTimeouts keys.Timeouts

	// The remaining fields are only for the proxy's own binary. A process that hosts several
	// services does not use them.
	Process process.Config
	Peers   process.Peers
	// Router and Keyauth are the addresses of the router and the key service.
	Router  string
	Keyauth string
	// Redis is the URL of the Redis server that transports the records and holds the shared
	// limit counters.
	Redis config.Secret
}

// LoadConfig reads the settings of the proxy's own binary.
func LoadConfig(args, environ []string) (Config, error) {
	c := Config{Process: process.Config{
		Listen: "127.0.0.1:8080", Admin: "127.0.0.1:9080", Telemetry: telemetry.Config{Service: "proxy"},
	}}
	set := config.New()
	c.Process.Register(set)
	c.Peers.Register(set)
	set.Secret(&c.Redis, "redis-url", "URL of the Redis that transports records and holds the shared limit counters: redis://, redis-sentinel:// or redis-cluster://")
	set.Int(&c.Proxies, "proxies", 2, 1, 10_000, "number of proxies that share the limits of keys and accounts, until Redis reports the real number")
	set.String(&c.Router, "router", "127.0.0.1:7001", "address of the router")
	set.String(&c.Keyauth, "keyauth", "127.0.0.1:7002", "address of the key service")
	c.Register(set)
	err := set.Load(args, environ)
	c.Process.Telemetry.HasLargeSpans = c.TraceContent
	return c, err
}

// Register adds the settings to a set.
func (c *Config) Register(s *config.Set) {
	s.String(&c.Data, "data", "./data", "directory of the spool and other state")
	s.Duration(&c.DecideTimeout, "decide-timeout", 25*time.Millisecond, "how long a request waits for the router; after that the proxy decides itself")
	c.registerLimits(s)
	s.Int(&c.CaptureBytes, "capture-bytes", 64<<10, 0, 256<<10, "maximum captured content of a request and of a response, in bytes each")
	s.Int(&c.SpoolBytes, "spool-bytes", 1<<30, 16<<20, 1<<40, "disk space for records that have not reached the ledger yet, in bytes; above 70 % the content of the oldest records is dropped")
	s.OneOf(&c.SpoolFull, "spool-full", spoolMetadata, []string{spoolShed, spoolMetadata}, "when the spool is more than 95 % full: write new records without content (metadata) or reject new requests with 503 (shed)")
	s.String(&c.TrustedProxies, "trusted-proxies", "", trustedUsage)
	s.String(&c.PublicURL, "public-url", "", "origin that browsers use, such as https://signalbox.example.com")
	s.Bool(&c.EndRevoked, "end-revoked", false, "end requests in progress when their key is revoked; otherwise they finish")
	s.Int(&c.ShadowWorkers, "shadow-workers", 2, 0, 64, "concurrent comparisons of experiments in this process; 0 disables experiments")
	s.OneOf(&c.LogRequests, "log-requests", cmp.Or(c.LogRequests, logFailed), []string{logAll, logFailed, logNone}, "which requests are logged; the ledger is not affected")
	s.Bool(&c.TraceUpstreams, "trace-upstreams", true, "pass the trace of a request on to providers, in the header traceparent")
	s.Bool(&c.TraceContent, "trace-content", false, "add captured requests and responses to the spans that are sent to the collector; the capture setting of the account and the key still applies")
	s.Duration(&c.DrainDelay, "drain-delay", 0, "how long new requests are accepted after a shutdown was requested")
	s.Duration(&c.DrainLimit, "drain-limit", 10*time.Minute, "how long requests in progress may take after the drain delay")
}

func (c *Config) registerLimits(s *config.Set) {
	s.Int(&c.MaxBody, "max-body", 32<<20, 1<<10, 1<<30, "maximum size of a request body in bytes, also after decompression")
	s.Int(&c.MaxHeader, "max-header", 32<<10, 8<<10, 1<<20, "maximum size of the request headers in bytes")
	s.Duration(&c.HeaderTimeout, "header-timeout", 10*time.Second, "how long a client may take to send the headers")
	s.Duration(&c.BodyTimeout, "body-timeout", 30*time.Second, "how long a client may take to send the body; a large body gets more time as its data arrives")
	s.Int(&c.MaxConnections, "max-connections", 10_000, 0, 1<<20, "maximum number of client connections; 0 means no limit")
	s.Int(&c.MaxRequests, "max-requests", 4096, 0, 1<<20, "maximum number of concurrent requests, of which one key may use half; the last tenth is reserved for accounts below their fair share; further requests wait in the queue or get 503; 0 means no limit")
	s.Int(&c.MaxBytes, "max-bytes", 256<<20, 0, 1<<40, "maximum memory for the bodies of concurrent requests in bytes, of which one key may use half; at most 40 % of GOMEMLIMIT if that is set; further requests get 503; 0 means no limit")
	s.Int(&c.KeyRequests, "key-requests", 0, 0, 1<<20, "maximum number of concurrent requests in this process for a key without its own limit; further requests get 429; 0 means no limit")
	s.Duration(&c.KeepAliveAfter, "keepalive-after", 10*time.Second, "how long a stream is silent before its first keep-alive line; 0 disables keep-alive lines")
	s.Duration(&c.KeepAliveEvery, "keepalive-every", 15*time.Second, "interval between further keep-alive lines of a silent stream")
}

// validate checks for settings that contradict each other.
func (c *Config) validate() error {
	if c.MaxBytes > 0 && c.MaxBytes <= c.MaxBody {
		return fmt.Errorf("--max-bytes=%d: must be larger than --max-body=%d, otherwise the largest body never fits", c.MaxBytes, c.MaxBody)
	}
	if c.KeepAliveAfter > 0 && c.KeepAliveEvery == 0 {
		return errors.New("--keepalive-every: must be more than 0; to disable keep-alive lines set --keepalive-after=0")
	}
	return nil
}

func (c *Config) requestLimits() api.Limits {
	return api.Limits{Body: c.MaxBody, BodyTimeout: c.BodyTimeout, PerKey: c.KeyRequests}
}

func (c *Config) snapshotDir() string { return filepath.Join(c.Data, "snapshots") }
