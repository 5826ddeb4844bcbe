package sessionredis

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
)

// runningKeeper is a keeper that writes to Redis.
type runningKeeper struct {
	*sessionkeeper.Keeper
	// stop writes what waits, and returns when that is done.
	stop func()
}

// patience is how long tests wait, because the machine may be slow.
const patience = 20 * time.Second

// newKeeper returns a keeper that does not write.
func newKeeper(t *testing.T, r *Redis, clock sessionkeeper.Clock) *sessionkeeper.Keeper {
	t.Helper()
	return sessionkeeper.New(t.Context(), sessionkeeper.Deps{Shared: r, Log: quiet, Clock: clock, ViewTimeout: patience})
}

func startKeeper(t *testing.T, r *Redis, clock sessionkeeper.Clock) *runningKeeper {
	t.Helper()
	k := newKeeper(t, r, clock)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.Run(ctx)
	}()
	stop := func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return &runningKeeper{k, stop}
}

func (k *runningKeeper) rememberTurns(key session.Key, n int) {
	for range n {
		k.Remember("acc", key, served("m", time.Time{}), false)
	}
}

// awaitTurns waits until Redis has so many turns.
func awaitTurns(t *testing.T, r *Redis, key session.Key, turns int64) {
	t.Helper()
	require.Eventually(t, func() bool {
		s, _, err := r.Load(t.Context(), "acc", key)
		return err == nil && s != nil && s.Totals.Turns >= turns
	}, 20*time.Second, 10*time.Millisecond)
	require.Equal(t, turns, load(t, r, "acc", key).Totals.Turns)
}

// faults are states in which Redis does not take a write. Each function ends its fault.
var faults = map[string]func(t *testing.T, r *Redis) (end func()){
	"out of memory": func(t *testing.T, r *Redis) func() {
		require.NoError(t, r.client.ConfigSet(t.Context(), "maxmemory", "1").Err())
		return func() { require.NoError(t, r.client.ConfigSet(t.Context(), "maxmemory", "0").Err()) }
	},
	"read-only": func(t *testing.T, r *Redis) func() {
		require.NoError(t, r.client.ReplicaOf(t.Context(), "127.0.0.1", "1").Err())
		return func() { require.NoError(t, r.client.ReplicaOf(t.Context(), "NO", "ONE").Err()) }
	},
	"loading": func(t *testing.T, r *Redis) func() {
		for name, value := range map[string]string{"key-load-delay": "10000", "loading-process-events-interval-bytes": "1024"} {
			require.NoError(t, r.client.ConfigSet(t.Context(), name, value).Err())
		}
		require.NoError(t, r.client.Do(t.Context(), "DEBUG", "POPULATE", 6000, "filler", 4096).Err())
		go func() { _ = r.client.Do(context.Background(), "DEBUG", "RELOAD").Err() }() // a minute, unless the delay ends earlier
		require.Eventually(t, func() bool {
			err := r.client.Get(t.Context(), "filler:0").Err()
			return err != nil && strings.HasPrefix(err.Error(), "LOADING")
		}, patience, time.Millisecond)
		return func() { require.NoError(t, r.client.ConfigSet(t.Context(), "key-load-delay", "0").Err()) }
	},
	"paused": func(t *testing.T, r *Redis) func() {
		server := pid(t, r)
		require.NoError(t, syscall.Kill(server, syscall.SIGSTOP))
		resume := func() { _ = syscall.Kill(server, syscall.SIGCONT) }
		t.Cleanup(resume)
		return resume
	},
}

// A write that Redis rejects or does not answer is repeated. Every turn counts once.
func TestAFaultOfRedisLosesNoTurns(t *testing.T) {
	for name, begin := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, testenv.Redis(t, "--enable-debug-command", "local"))
			k, key := startKeeper(t, r, nil), session.KeyOf("acc", "s")
			k.rememberTurns(key, 10)
			awaitTurns(t, r, key, 10)
			end := begin(t, r)
			k.rememberTurns(key, 10)
			require.Eventually(t, func() bool { return k.RetriedWrites() > 0 }, 20*time.Second, time.Millisecond)
			k.rememberTurns(key, 10)
			end()
			awaitTurns(t, r, key, 30)
			k.rememberTurns(key, 1)
			awaitTurns(t, r, key, 31)
			k.stop()
			awaitTurns(t, r, key, 31)
			require.Zero(t, k.DroppedWrites())
		})
	}
}

// lossyRelay forwards connections to Redis. While lose is positive, it takes the next response
// and closes the connection instead of forwarding it.
type lossyRelay struct {
	target string
	lose   atomic.Int64
}

func startRelay(t *testing.T, target string) (*lossyRelay, string) {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = lis.Close() })
	relay := &lossyRelay{target: target}
	go func() {
		for {
			client, err := lis.Accept()
			if err != nil {
				return
			}
			go relay.serve(client)
		}
	}()
	return relay, lis.Addr().String()
}

func (l *lossyRelay) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", l.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		defer func() { _ = server.Close() }()
		buffer := make([]byte, 64<<10)
		for {
			n, err := client.Read(buffer)
			if _, writeErr := server.Write(buffer[:n]); err != nil || writeErr != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if err != nil || n > 0 && l.lose.Add(-1) >= 0 {
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// A batch that Redis has applied, but whose response was lost, is not counted twice.
func TestALostResponseDoesNotCountTwice(t *testing.T) {
	url := testenv.Redis(t)
	direct := open(t, url)
	relay, address := startRelay(t, strings.TrimSuffix(strings.TrimPrefix(url, "redis://"), "/0"))
	k, key := startKeeper(t, open(t, "redis://"+address), nil), session.KeyOf("acc", "s")
	for round := range int64(5) {
		retries := k.RetriedWrites()
		relay.lose.Store(3) // also those of new connections
		k.rememberTurns(key, 10)
		require.Eventually(t, func() bool { return k.RetriedWrites() > retries }, 20*time.Second, time.Millisecond)
		relay.lose.Store(0)
		awaitTurns(t, direct, key, 10*(round+1))
	}
	k.stop()
	awaitTurns(t, direct, key, 50)
	require.Zero(t, k.DroppedWrites())
}
