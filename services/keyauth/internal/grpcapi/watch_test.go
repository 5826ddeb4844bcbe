package grpcapi_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
)

// keyWatch follows the change log from a version. Its first message has been read.
type keyWatch struct {
	stream  keyauthv1.KeyAuthService_WatchKeysClient
	version int64
}

func (c client) watch(t *testing.T, since int64) *keyWatch {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	stream, err := c.WatchKeys(ctx, &keyauthv1.WatchKeysRequest{SinceVersion: since})
	require.NoError(t, err)
	first, err := stream.Recv()
	require.NoError(t, err)
	require.Empty(t, first.GetChanges())
	return &keyWatch{stream: stream, version: first.GetVersion()}
}

// next returns the next change. All messages before it must be in order.
func (w *keyWatch) next(t *testing.T) *keyauthv1.KeyChange {
	t.Helper()
	for {
		m, err := w.stream.Recv()
		require.NoError(t, err)
		if len(m.GetChanges()) == 0 {
			require.Equal(t, w.version, m.GetVersion(), "a heartbeat contains the current version")
			continue
		}
		require.Len(t, m.GetChanges(), 1)
		require.Equal(t, w.version+1, m.GetVersion())
		require.Equal(t, m.GetVersion(), m.GetChanges()[0].GetVersion())
		w.version = m.GetVersion()
		return m.GetChanges()[0]
	}
}

func (c client) revoke(t *testing.T, actor *keyauthv1.Actor, keyID string) {
	t.Helper()
	_, err := c.RevokeKey(t.Context(), &keyauthv1.RevokeKeyRequest{Actor: actor, KeyId: keyID})
	require.NoError(t, err)
}

func (c client) keyID(t *testing.T, secret string) string {
	t.Helper()
	v, err := c.VerifyKey(t.Context(), digestOf(secret))
	require.NoError(t, err)
	return v.GetPrincipal().GetKeyId()
}

func TestWatchSendsCurrentChanges(t *testing.T) {
	c := serve(t, newURL(t))
	actor, secret := c.bootstrapped(t)
	id := c.keyID(t, secret)
	w := c.watch(t, 0)
	c.revoke(t, actor, id)
	change := w.next(t)
	require.Equal(t, id, change.GetKeyId())
	require.Equal(t, actor.GetAccountId(), change.GetAccountId())
	require.Equal(t, keyauthv1.KeyState_KEY_STATE_REVOKED, change.GetPrincipal().GetState())
	require.GreaterOrEqual(t, change.GetPrincipal().GetVersion(), change.GetVersion())
}

func TestWatchResumes(t *testing.T) {
	c := serve(t, newURL(t))
	actor, secret := c.bootstrapped(t)
	id := c.keyID(t, secret)
	since := c.watch(t, 0).version
	c.revoke(t, actor, id)
	w := c.watch(t, since)
	require.Equal(t, since, w.version)
	require.Equal(t, id, w.next(t).GetKeyId())
}

// The changes together are larger than one message. A watcher that was disconnected
// receives all of them, in order.
func TestManyLargeChangesComeInSeveralMessages(t *testing.T) {
	c := serve(t, newURL(t))
	actor, _ := c.bootstrapped(t)
	const keys, most = 150, 1 << 20
	models := slices.Repeat([]string{strings.Repeat("m", 200)}, 40)
	for range keys {
		_, err := c.CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{
			Actor: actor, Settings: &keyauthv1.KeySettings{Name: "k", Models: models},
		})
		require.NoError(t, err)
	}
	end := c.watch(t, 0).version
	w := c.watch(t, 1)
	for messages := 0; w.version < end; messages++ {
		m, err := w.stream.Recv()
		require.NoError(t, err)
		require.Less(t, messages, 10)
		require.LessOrEqual(t, proto.Size(m), most)
		for _, change := range m.GetChanges() {
			require.Equal(t, w.version+1, change.GetVersion())
			w.version = change.GetVersion()
		}
		require.Equal(t, w.version, m.GetVersion())
	}
}

// Two instances share one Postgres: a watcher of either one sees the changes of
// both, and may reconnect to the other one.
func TestInstancesOnOnePostgresAgree(t *testing.T) {
	url := testenv.Postgres(t)
	here, there := serve(t, url), serve(t, url)
	actor, first := there.bootstrapped(t)
	w := here.watch(t, 0)
	there.revoke(t, actor, there.keyID(t, first))
	require.Equal(t, keyauthv1.KeyState_KEY_STATE_REVOKED, w.next(t).GetPrincipal().GetState())
	_, err := here.VerifyKey(t.Context(), digestOf(first))
	requireCode(t, apperr.AuthInvalidKey, err)

	const missed = 5
	for n := range missed {
		_, err := []client{here, there}[n%2].CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{
			Actor: actor, Settings: &keyauthv1.KeySettings{Name: "k"},
		})
		require.NoError(t, err)
	}
	back := there.watch(t, w.version)
	for back.version < w.version+missed {
		m, err := back.stream.Recv()
		require.NoError(t, err)
		for _, change := range m.GetChanges() {
			require.Equal(t, back.version+1, change.GetVersion())
			back.version++
		}
	}
}

// A watcher that is too far behind gets an error and starts over.
func TestPrunedLogFailsTheWatch(t *testing.T) {
	url := newURL(t)
	c := serve(t, url)
	actor, secret := c.bootstrapped(t)
	since := c.watch(t, 0).version
	c.revoke(t, actor, c.keyID(t, secret))
	s, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	require.NoError(t, s.Write(t.Context(), func(tx account.Tx) error {
		return tx.PruneChanges(t.Context(), 1)
	}))
	require.NoError(t, s.Close())
	late, err := c.WatchKeys(t.Context(), &keyauthv1.WatchKeysRequest{SinceVersion: since - 1})
	require.NoError(t, err)
	_, err = late.Recv()
	requireCode(t, apperr.InvalidRequest, err)
	require.Equal(t, since+1, c.watch(t, since).next(t).GetVersion())
}

// These tests use a fake clock, so their times are exact.

func TestWatchSeesTheChangesOfAnotherInstanceSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		url := newURL(t)
		here, there := serve(t, url), serve(t, url)
		actor, secret := there.bootstrapped(t)
		id := here.keyID(t, secret)
		w := here.watch(t, 0)
		synctest.Wait()
		began := time.Now()
		there.revoke(t, actor, id)
		require.Equal(t, id, w.next(t).GetKeyId())
		require.LessOrEqual(t, time.Since(began), 200*time.Millisecond)
	})
}

func TestWatchSeesTheChangesOfItsOwnInstanceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, newURL(t))
		actor, secret := c.bootstrapped(t)
		id := c.keyID(t, secret)
		w := c.watch(t, 0)
		synctest.Wait()
		began := time.Now()
		c.revoke(t, actor, id)
		require.Equal(t, id, w.next(t).GetKeyId())
		require.Zero(t, time.Since(began))
	})
}

func TestWatchSendsHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := serve(t, newURL(t)).watch(t, 0)
		require.Positive(t, w.version)
		for range 3 {
			began := time.Now()
			beat, err := w.stream.Recv()
			require.NoError(t, err)
			require.Empty(t, beat.GetChanges())
			require.Equal(t, w.version, beat.GetVersion())
			require.Equal(t, time.Second, time.Since(began))
		}
	})
}

func TestWatchRefusesAVersionTheLogNeverHad(t *testing.T) {
	c := serve(t, newURL(t))
	for _, since := range []int64{-1, 1000} {
		stream, err := c.WatchKeys(t.Context(), &keyauthv1.WatchKeysRequest{SinceVersion: since})
		require.NoError(t, err)
		_, err = stream.Recv()
		requireCode(t, apperr.InvalidRequest, err)
	}
}
