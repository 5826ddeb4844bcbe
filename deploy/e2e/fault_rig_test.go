package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/load"
	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// Duration and intensity of the fault tests; make chaos sets higher values.
var (
	rounds   = flag.Int("rounds", 1, "repetitions of every fault")
	rate     = flag.Int("rate", 20, "requests per second")
	clients  = flag.Int("clients", 20, "concurrent clients that share a limit")
	stops    = flag.Int("stops", 0, "random stops of processes while a dependency fails, half of them in each deployment")
	requests = flag.Int("requests", 200, "requests during each fault of a provider")
	outage   = flag.Duration("outage", 2*time.Second, "how long a part hangs, is slow or is down")
	seedFlag = flag.Uint64("seed", 0, "random seed; 0 picks one")
)

// rig is a gateway with accounts that use it and a provider that records its calls.
type rig struct {
	t        *testing.T
	box      *Gateway
	provider *load.Provider
	operator *APIClient
	accounts []*APIClient
	keys     []string
	seed     uint64
	runs     uint64
	base     atomic.Pointer[string]
	flags    []string
	rate     int // requests per second
	prompt   int // bytes; 0 means the default
	hour     time.Time
	sums     reconcile.Sums
	memory   *memory
}

// newRig starts a deployment with a policy of random prices.
func newRig(t *testing.T, start func(*testing.T, ...string) *Gateway, flags ...string) *rig {
	t.Helper()
	return newRigWith(t, load.NewProvider, start, flags...)
}

func newRigWith(t *testing.T, provider func(seed uint64) *load.Provider, start func(*testing.T, ...string) *Gateway, flags ...string) *rig {
	t.Helper()
	r := &rig{t: t, seed: *seedFlag, rate: *rate, hour: time.Now().Truncate(time.Hour)}
	if r.seed == 0 {
		r.seed = rand.Uint64()
	}
	t.Logf("seed %d", r.seed)
	r.provider = provider(r.seed)
	t.Cleanup(r.provider.Close)
	path := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(path, []byte(r.provider.Policy()), 0o644)) // containers have another user
	r.flags = append([]string{"--config", path}, flags...)
	r.box = start(t, r.flags...)
	r.base.Store(&r.box.Base)
	r.operator = r.box.SignInOperator()
	r.createAccounts()
	r.memory = watchMemory(t, r.box)
	return r
}

// createAccounts creates accounts with two keys each.
func (r *rig) createAccounts() {
	r.accounts = []*APIClient{r.operator}
	for n := range 2 {
		a := r.box.NewVisitor()
		status, body := a.CallWithPassword("/register", map[string]string{
			"email": fmt.Sprintf("owner-%d@example.com", n), "password": OperatorPassword, "name": fmt.Sprintf("account %d", n),
		}, nil)
		require.Less(r.t, status, 300, "%s", body)
		r.accounts = append(r.accounts, a)
	}
	for _, a := range r.accounts {
		for range 2 {
			r.keys = append(r.keys, a.makeKey(map[string]any{}).Key)
		}
	}
}

// switchTo points the load and all API clients to a restarted gateway.
func (r *rig) switchTo(to *Gateway) {
	r.box = to
	r.base.Store(&to.Base)
	r.memory.switchTo(to)
	for _, a := range r.accounts {
		a.base = to.Dashboard
	}
}
