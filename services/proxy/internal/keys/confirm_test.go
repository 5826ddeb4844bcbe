package keys

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
)

func optedIn(version int64, yes bool) *Principal {
	p := active(version)
	p.AllowExperiments = yes
	return p
}

// Resolve may use a state that is half a minute old while the push is away. Confirm may not.
func TestConfirmNeverUsesAnOldState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &moody{}
		svc.set(optedIn(1, true), nil)
		c, key := NewCache(svc, time.Now), apikey.New()
		c.PushReached(1)
		_, ok := c.Confirm(t.Context(), "k")
		require.False(t, ok, "not known")
		resolves(t, c, key)
		p, ok := c.Confirm(t.Context(), "k")
		require.True(t, ok && p.AllowExperiments)
		require.Equal(t, 1, svc.asked, "the push vouches for it")

		svc.set(optedIn(2, false), nil) // the push is silent
		<-time.After(maxConfirmAge)
		p, ok = c.Confirm(t.Context(), "k")
		require.True(t, ok)
		require.False(t, p.AllowExperiments)

		c.PushLost()
		svc.hangs.Store(true)
		_, ok = c.Confirm(t.Context(), "k")
		require.False(t, ok, "nobody vouches for it")
		began := time.Now()
		_, ok = c.Confirm(t.Context(), "k")
		require.False(t, ok)
		require.Zero(t, time.Since(began), "it does not wait again")
		resolves(t, c, key)

		<-time.After(retryPause)
		svc.hangs.Store(false)
		_, ok = c.Confirm(t.Context(), "k")
		require.True(t, ok)
		svc.set(nil, invalidKeyError("revoked"))
		_, ok = c.Confirm(t.Context(), "k")
		require.False(t, ok)
	})
}
