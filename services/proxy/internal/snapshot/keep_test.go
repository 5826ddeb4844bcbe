package snapshot

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// anyKey is a service that knows every key.
type anyKey struct{}

func (anyKey) Verify(_ context.Context, d apikey.Digest) (*keys.Principal, error) {
	return &keys.Principal{KeyID: string(d[:4]), Active: true, Version: 1}, nil
}

// desk is a running keeper and what it keeps.
type desk struct {
	t      *testing.T
	dir    *Dir
	cache  *keys.Cache
	policy atomic.Pointer[policy.Policy]
	keeper *Keeper
	stop   func()
}

// atADesk runs in a time of its own, so what it says of it is exact.
func atADesk(t *testing.T, run func(*testing.T, *desk)) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{t: t, dir: open(t), cache: keys.NewCache(anyKey{}, time.Now)}
		d.cache.OnChange(d.dir.Changed)
		d.keeper = NewKeeper(d.dir, Source{Keys: d.cache, Policy: d.policy.Load})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); d.keeper.Run(ctx) }()
		d.stop = func() { cancel(); <-done }
		defer d.stop()
		run(t, d)
	})
}

func (d *desk) learn() apikey.Digest {
	key := apikey.New()
	_, err := d.cache.Resolve(d.t.Context(), key)
	require.NoError(d.t, err)
	return apikey.Sum(key)
}

// pass lets time go by, and what is due be done.
func (d *desk) pass(t time.Duration) {
	<-time.After(t)
	synctest.Wait()
}

// kept is what another process would find.
func (d *desk) kept() []keys.Known {
	next, err := Open(d.dir.path, d.dir.log)
	require.NoError(d.t, err)
	s, _ := next.Keys()
	return s.Known
}

func TestWhatWasLearnedIsWrittenInTime(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		d.learn()
		d.pass(lookEvery)
		require.Len(t, d.kept(), 1, "the first at once, for without it a restart knows nothing")
		d.learn()
		d.pass(saveEvery - time.Nanosecond)
		require.Len(t, d.kept(), 1)
		d.pass(time.Nanosecond)
		require.Len(t, d.kept(), 2)
	})
}

// become pushes what a key that was learned is from here on.
func (d *desk) become(digest apikey.Digest, p keys.Principal) {
	p.KeyID, p.Version = string(digest[:4]), 2
	d.cache.Apply(keys.Change{Version: 2, KeyID: p.KeyID, Principal: &p})
}

// It is on disk before the snapshot is, which makes the file of it go.
func TestAChangeIsWrittenAtOnce(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		digest := d.learn()
		d.pass(lookEvery)
		d.become(digest, keys.Principal{})
		require.Len(t, d.kept(), 1)
		require.False(t, d.kept()[0].Principal.Active)
		require.Len(t, d.changes(), 1)
		d.pass(lookEvery)
		require.Empty(t, d.changes())
		require.Len(t, d.kept(), 1)
		require.False(t, d.kept()[0].Principal.Active)
	})
}

func (d *desk) changes() []uint64 {
	numbers, err := d.dir.numbers()
	require.NoError(d.t, err)
	return numbers
}

// Anybody may change the keys of their own account all day.
func TestChangesOfUnknownKeysAreNotWritten(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		d.learn()
		d.pass(saveEvery)
		before := content(t, d.dir, keysName)
		d.become(apikey.Sum("stranger"), keys.Principal{})
		d.cache.Apply(keys.Change{Version: 3, AccountID: "stranger"})
		d.pass(saveEvery)
		require.Empty(t, d.changes())
		require.Equal(t, before, content(t, d.dir, keysName))
	})
}

// A key that was rotated or narrowed is as much changed as one that was revoked:
// a restart must not give back what it lost.
func TestAnyPushedChangeIsWrittenAtOnce(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		d.learn()
		d.pass(lookEvery)
		digest := d.learn()
		narrowed := keys.Principal{Active: true, Scopes: []string{"embeddings"}}
		d.become(digest, narrowed)
		d.pass(lookEvery)
		require.Empty(t, d.changes())
		for _, k := range d.kept() {
			if k.Digest == digest {
				require.Equal(t, narrowed.Scopes, k.Principal.Scopes)
				return
			}
		}
		t.Fatal("the changed key is not on disk")
	})
}

func TestALivePushKeepsTheFileYoung(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		d.learn()
		d.pass(saveEvery)
		first := d.kept()[0].Confirmed
		d.cache.Pushed(1)
		d.learn()
		d.pass(coverEvery)
		d.cache.Pushed(1)
		d.pass(coverEvery)
		for _, k := range d.kept() {
			if !k.Confirmed.Equal(first) {
				require.WithinDuration(t, time.Now(), k.Confirmed, coverEvery)
				return
			}
		}
		t.Fatal("the second key is as old as the first")
	})
}

func TestNothingIsWrittenForNothing(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		d.pass(2 * coverEvery)
		d.stop()
		left, err := os.ReadDir(d.dir.path)
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

func TestAStopWritesWhatIsNew(t *testing.T) {
	p := defaultPolicy(t)
	atADesk(t, func(t *testing.T, d *desk) {
		d.learn()
		d.policy.Store(p)
		d.stop()
		require.Len(t, d.kept(), 1)
		require.NotNil(t, d.dir.Policy())
	})
}

func TestAPolicyIsWrittenAtOnce(t *testing.T) {
	p := defaultPolicy(t)
	atADesk(t, func(t *testing.T, d *desk) {
		d.pass(time.Nanosecond)
		d.policy.Store(p)
		d.pass(lookEvery)
		require.Equal(t, p.Version(), d.dir.Policy().Version())
	})
}

func TestAFailureIsToldAndOvercome(t *testing.T) {
	p := defaultPolicy(t)
	atADesk(t, func(t *testing.T, d *desk) {
		require.NoError(t, os.RemoveAll(d.dir.path))
		d.pass(time.Nanosecond)
		d.policy.Store(p)
		d.pass(lookEvery)
		require.True(t, d.keeper.Failing())
		require.NoError(t, os.Mkdir(d.dir.path, 0o700))
		d.pass(retryEvery)
		require.False(t, d.keeper.Failing())
		require.NotNil(t, d.dir.Policy())
	})
}
