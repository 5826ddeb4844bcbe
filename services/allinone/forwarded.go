package allinone

import (
	"log/slog"
	"net/http"
	"sync/atomic"
)

// forwardingHeaders are headers that reverse proxies and tunnels add.
var forwardingHeaders = [...]string{"X-Forwarded-For", "Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via", "Cf-Connecting-Ip"}

// forwardedWarning is shown to the operator once a request looks forwarded.
const forwardedWarning = "A request looks as if a reverse proxy or tunnel forwarded it, but registration is open because Signalbox listens on this machine only. " +
	"If others can reach it, set --registration=invite, --public-url and --default-budget."

// forwardedWatch notices requests that other machines may have sent, although the process listens on
// loopback and registration is therefore open. A reverse proxy on this machine may rewrite the Host
// header, so the front handler cannot reject such requests.
type forwardedWatch struct {
	log  *slog.Logger
	seen atomic.Bool
}

// newForwardedWatch returns nil unless registration is open, and warns if accounts then have no budget.
func newForwardedWatch(c *Config, log *slog.Logger) *forwardedWatch {
	if c.Keyauth.Registration != "open" {
		return nil
	}
	if c.Keyauth.DefaultBudget == 0 {
		log.Warn("registration is open and new accounts have no budget: set --default-budget, or --registration=invite if others can reach this machine's port")
	}
	return &forwardedWatch{log: log}
}

// note looks at a request. Only the first one that looks forwarded is logged.
func (f *forwardedWatch) note(r *http.Request) {
	if f == nil || f.seen.Load() || !looksForwarded(r) || f.seen.Swap(true) {
		return
	}
	f.log.Warn("a request looks forwarded although registration is open to this machine only: set --registration=invite, --public-url and --default-budget if others can reach it")
}

// warnings returns the warnings for the page System.
func (f *forwardedWatch) warnings() []string {
	if f == nil || !f.seen.Load() {
		return nil
	}
	return []string{forwardedWarning}
}

func looksForwarded(r *http.Request) bool {
	for _, name := range forwardingHeaders {
		if len(r.Header[name]) > 0 {
			return true
		}
	}
	return !isLoopbackHost(stripPort(r.Host))
}
