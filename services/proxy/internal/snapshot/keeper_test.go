package snapshot

import (
	"context"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// anyKey is a service that accepts every key.
type anyKey struct{}

func (anyKey) Verify(_ context.Context, d apikey.Digest) (*keys.Principal, error) {
	return &keys.Principal{KeyID: string(d[:4]), Active: true, Version: 1}, nil
}

// desk is a running keeper with its sources.
type desk struct {
	t      *testing.T
	dir    *Dir
	cache  *keys.Cache
	policy atomic.Pointer[policy.Policy]
	drains atomic.Pointer[decide.DrainSet]
	keeper *Keeper
	stop   func()
}

// atADesk runs in a synctest bubble, so all times are exact.
func atADesk(t *testing.T, run func(*testing.T, *desk)) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{t: t, dir: open(t), cache: keys.NewCache(anyKey{}, time.Now)}
		d.cache.OnChange(d.dir.AppendChange)
		d.keeper = NewKeeper(d.dir, Source{Keys: d.cache, Policy: d.policy.Load, Drains: d.drains.Load})
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
	return apikey.DigestOf(key)
}

// pass advances the time and lets the keeper work.
func (d *desk) pass(t time.Duration) {
	<-time.After(t)
	synctest.Wait()
}

// kept returns what another process would find.
func (d *desk) kept() []keys.Known {
	next, err := Open(d.dir.path, d.dir.log)
	require.NoError(d.t, err)
	s, _ := next.LoadKeys()
	return s.Known
}

func TestLearnedKeysAreWrittenInTime(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		d.learn()
		d.pass(checkInterval)
		require.Len(t, d.kept(), 1, "the first key is written at once")
		d.learn()
		d.pass(saveInterval - time.Nanosecond)
		require.Len(t, d.kept(), 1)
		d.pass(time.Nanosecond)
		require.Len(t, d.kept(), 2)
	})
}

// become pushes the new state of a known key.
func (d *desk) become(digest apikey.Digest, p keys.Principal) {
	p.KeyID, p.Version = string(digest[:4]), 2
	d.cache.Apply(keys.Change{Version: 2, KeyID: p.KeyID, Principal: &p})
}

// A change is on disk before the next snapshot, which then replaces the change file.
func TestAChangeIsWrittenAtOnce(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		digest := d.learn()
		d.pass(checkInterval)
		d.become(digest, keys.Principal{})
		require.Len(t, d.kept(), 1)
		require.False(t, d.kept()[0].Principal.Active)
		require.Len(t, d.changes(), 1)
		d.pass(checkInterval)
		require.Empty(t, d.changes())
		require.Len(t, d.kept(), 1)
		require.False(t, d.kept()[0].Principal.Active)
	})
}

func (d *desk) changes() []uint64 {
	numbers, err := d.dir.listNumbers()
	require.NoError(d.t, err)
	return numbers
}

// Any user may change the keys of an account all day.
func TestChangesOfUnknownKeysAreNotWritten(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		d.learn()
		d.pass(saveInterval)
		before := content(t, d.dir, keysName)
		d.become(apikey.DigestOf("stranger"), keys.Principal{})
		d.cache.Apply(keys.Change{Version: 3, AccountID: "stranger"})
		d.pass(saveInterval)
		require.Empty(t, d.changes())
		require.Equal(t, before, content(t, d.dir, keysName))
	})
}

// A rotated or restricted key is changed as much as a revoked one: a restart must not restore its old
// permissions.
func TestAnyPushedChangeIsWrittenAtOnce(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		d.learn()
		d.pass(checkInterval)
		digest := d.learn()
		narrowed := keys.Principal{Active: true, Scopes: []string{"embeddings"}}
		d.become(digest, narrowed)
		d.pass(checkInterval)
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
		d.pass(saveInterval)
		first := d.kept()[0].Confirmed
		d.cache.PushReached(1)
		d.learn()
		d.pass(refreshInterval)
		d.cache.PushReached(1)
		d.pass(refreshInterval)
		for _, k := range d.kept() {
			if !k.Confirmed.Equal(first) {
				require.WithinDuration(t, time.Now(), k.Confirmed, refreshInterval)
				return
			}
		}
		t.Fatal("the second key is as old as the first")
	})
}

func TestNothingIsWrittenForNothing(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		d.pass(2 * refreshInterval)
		d.stop()
		left, err := os.ReadDir(d.dir.path)
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

func TestAStopWritesUnsavedKeys(t *testing.T) {
	p := defaultPolicy(t)
	atADesk(t, func(t *testing.T, d *desk) {
		d.learn()
		d.policy.Store(p)
		d.stop()
		require.Len(t, d.kept(), 1)
		require.NotNil(t, d.dir.LoadPolicy())
	})
}

func TestAPolicyIsWrittenAtOnce(t *testing.T) {
	p := defaultPolicy(t)
	atADesk(t, func(t *testing.T, d *desk) {
		d.pass(time.Nanosecond)
		d.policy.Store(p)
		d.pass(checkInterval)
		require.Equal(t, p.Version(), d.dir.LoadPolicy().Version())
	})
}

func TestAFailureIsLoggedAndRetried(t *testing.T) {
	p := defaultPolicy(t)
	atADesk(t, func(t *testing.T, d *desk) {
		require.NoError(t, os.RemoveAll(d.dir.path))
		d.pass(time.Nanosecond)
		d.policy.Store(p)
		d.pass(checkInterval)
		require.True(t, d.keeper.IsFailing())
		require.NoError(t, os.Mkdir(d.dir.path, 0o700))
		d.pass(retryInterval)
		require.False(t, d.keeper.IsFailing())
		require.NotNil(t, d.dir.LoadPolicy())
	})
}

// onWarning calls a function at every warning.
type onWarning struct{ call func() }

func (onWarning) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }
func (h onWarning) Handle(context.Context, slog.Record) error  { h.call(); return nil }
func (h onWarning) WithAttrs([]slog.Attr) slog.Handler         { return h }
func (h onWarning) WithGroup(string) slog.Handler              { return h }

// A change that arrives while a snapshot is written is in the next snapshot.
func TestAChangeDuringASaveIsWritten(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		digest := d.learn()
		d.pass(checkInterval)
		d.stop()
		d.dir.limit = 0 // so that the keeper warns that keys were left out
		late := false
		d.dir.log = slog.New(onWarning{func() {
			if !late {
				late = true
				d.become(digest, keys.Principal{})
			}
		}})
		always := func(keys.Revision) bool { return true }
		require.NoError(t, d.keeper.save(always))
		require.True(t, late)
		require.True(t, d.keeper.isDue(d.cache.Revision()))
	})
}

// Drains survive a crash as soon as the keeper has seen them. A damaged file is ignored.
func TestDrainsAreWrittenAtOnce(t *testing.T) {
	atADesk(t, func(t *testing.T, d *desk) {
		require.Nil(t, d.dir.LoadDrains())
		d.drains.Store(decide.NewDrainSet([]decide.Drain{{Provider: "openai"}, {Model: "small"}}))
		d.pass(checkInterval)
		require.Equal(t, d.drains.Load().All(), d.dir.LoadDrains().All())
		d.drains.Store(decide.NewDrainSet(nil))
		d.pass(checkInterval)
		require.Empty(t, d.dir.LoadDrains().All())

		path := d.dir.path + "/" + drainsName
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append([]byte(`{"drains":[{}],`), content[len(`{"drains":[],`):]...), 0o600))
		require.Nil(t, d.dir.LoadDrains())
		require.FileExists(t, path+badSuffix)
	})
}
