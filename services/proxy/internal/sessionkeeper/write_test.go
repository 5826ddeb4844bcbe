package sessionkeeper

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

var errOutOfOrder = errors.New("out of order")

// run starts the writer of a keeper. The returned function stops it and waits for it.
func (k *Keeper) run(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// A store that fails gets the same batch again until it succeeds. The changes that follow join
// those that wait for the same session, so that nothing is lost.
func TestAFailedBatchIsWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, key := &shelf{fail: errOutOfOrder}, session.KeyOf("a", "s")
		k := New(t.Context(), Deps{Shared: store, Log: quiet})
		stop := k.run(t)
		k.Remember("a", key, turn("one"), false)
		synctest.Wait()
		for range 2 * maxQueue {
			k.Remember("a", key, turn("more"), false)
		}
		<-time.After(5 * time.Minute)
		store.setFail(nil)
		<-time.After(2 * maxRetryPause)
		stop()
		n := len(store.saved)
		require.Equal(t, []int64{1, 1, 2}, store.numbers[n-3:], "the failed batch has its number again")
		require.Equal(t, int64(1), store.saved[n-2].Added.Turns)
		require.Equal(t, int64(2*maxQueue), store.saved[n-1].Added.Turns)
		require.True(t, store.saved[n-1].IsTurn)
		require.Equal(t, "more", store.saved[n-1].State.Last.Model)
		require.Zero(t, k.DroppedWrites())
		require.Equal(t, int64(n-2), k.RetriedWrites())
		require.Less(t, n, 200, "the pauses get longer")
	})
}

// A batch is retried for retryLimit. Then it is dropped and counted, and the next one is written.
func TestABatchIsDroppedAtTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &shelf{fail: errOutOfOrder}
		k := New(t.Context(), Deps{Shared: store, Log: quiet})
		for i := range 3 {
			k.Remember("a", session.KeyOf("a", fmt.Sprint(i)), turn("m"), false)
		}
		stop := k.run(t)
		<-time.After(retryLimit + 2*maxRetryPause)
		require.Equal(t, int64(3), k.DroppedWrites())
		store.setFail(nil)
		k.Remember("a", session.KeyOf("a", "later"), turn("m"), false)
		stop()
		last := len(store.numbers) - 1
		require.Greater(t, store.numbers[last], store.numbers[last-1], "a batch that was dropped may have taken effect")
		require.Equal(t, int64(3), k.DroppedWrites())
	})
}

// A shutdown writes a batch that failed before, and does not wait for a store that still fails.
func TestAShutdownGivesUpAtTheFirstFailure(t *testing.T) {
	for _, fail := range []error{nil, errOutOfOrder} {
		synctest.Test(t, func(t *testing.T) {
			store := &shelf{fail: errOutOfOrder}
			k := New(t.Context(), Deps{Shared: store, Log: quiet})
			stop := k.run(t)
			k.Remember("a", session.KeyOf("a", "first"), turn("m"), false)
			synctest.Wait()
			for i := range 3 * maxBatch {
				k.Remember("a", session.KeyOf("a", fmt.Sprint(i)), turn("m"), false)
			}
			store.setFail(fail)
			began := time.Now()
			stop()
			require.Zero(t, time.Since(began))
			if fail == nil {
				require.Equal(t, []int64{1, 1, 2, 3, 4}, store.numbers)
				require.Zero(t, k.DroppedWrites())
			} else {
				require.Equal(t, []int64{1, 1}, store.numbers)
				require.Equal(t, int64(1+3*maxBatch), k.DroppedWrites())
			}
		})
	}
}

func TestAFailedFileIsWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, key := &tray{saved: map[string]Saved{}, fail: errOutOfOrder}, session.KeyOf("a", "s")
		k := New(t.Context(), Deps{File: file, Log: quiet})
		stop := k.run(t)
		k.Remember("a", key, turn("m"), false)
		synctest.Wait()
		file.mu.Lock()
		file.fail = nil
		file.mu.Unlock()
		<-time.After(maxRetryPause)
		stop()
		require.Equal(t, 2, file.times)
		require.Equal(t, int64(1), New(t.Context(), Deps{File: file, Log: quiet}).Get(key).Totals.Turns)
	})
}
