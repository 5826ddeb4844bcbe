package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/book"
	"github.com/signalbox/signalbox/deploy/e2e/load"
)

// How long and how hard the system is shaken; make chaos asks for more.
var (
	rounds   = flag.Int("rounds", 1, "how often every fault happens")
	rate     = flag.Int("rate", 60, "requests a second")
	outage   = flag.Duration("outage", 2*time.Second, "how long what hangs, is slow or is down stays so")
	seedFlag = flag.Uint64("seed", 0, "what everything random follows from; 0 draws one")
)

// rig is a system with people who use it, and a provider that counts.
type rig struct {
	t        *testing.T
	box      *Box
	provider *load.Provider
	operator *Account
	accounts []*Account
	keys     []string
	seed     uint64
	runs     uint64
	base     atomic.Pointer[string]
	flags    []string
	prompt   int // bytes; 0 means the usual
	hour     time.Time
	sums     book.Sums
	memory   *memory
}

// newRig starts a shape with a policy of random prices.
func newRig(t *testing.T, start func(*testing.T, ...string) *Box, flags ...string) *rig {
	t.Helper()
	r := &rig{t: t, seed: *seedFlag, hour: time.Now().Truncate(time.Hour)}
	if r.seed == 0 {
		r.seed = rand.Uint64()
	}
	t.Logf("seed %d", r.seed)
	r.provider = load.NewProvider(r.seed)
	t.Cleanup(r.provider.Close)
	path := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(path, []byte(r.provider.Policy()), 0o600))
	r.flags = append([]string{"--config", path}, flags...)
	r.box = start(t, r.flags...)
	r.base.Store(&r.box.Base)
	r.operator = r.box.Operator()
	r.people()
	r.memory = watchMemory(t, r.box)
	return r
}

// people makes accounts with two keys each.
func (r *rig) people() {
	r.accounts = []*Account{r.operator}
	for n := range 2 {
		a := r.box.Visitor()
		status, body := a.Call(http.MethodPost, "/register", map[string]string{
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

// moved tells everybody that the system is somewhere else now.
func (r *rig) moved(to *Box) {
	r.box = to
	r.base.Store(&to.Base)
	r.memory.moved(to)
	for _, a := range r.accounts {
		a.base = to.Dashboard
	}
}
