package gate

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A client may disconnect at the moment its request gets the slot. The slot then belongs to
// the request, which releases it. Otherwise the slot would be lost.
func TestASlotThatIsGrantedAtTheLastMomentIsNotLost(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 64 { // select chooses at random between the slot and the end of ctx
		g := New(Limits{Requests: 1, Queue: 1, Wait: time.Minute})
		first := acquire(t, g, "a", "1")
		slot, w, err := g.acquireOrEnqueue(newCaller("b", "2"))
		require.NoError(t, err)
		first.Release()
		require.True(t, g.awaitSlot(ctx, w))
		slot.Release()
		require.Equal(t, Load{}, g.Load())
	}
}
