package rpc

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s logLimiter
		require.True(t, s.allow())
		require.False(t, s.allow())
		<-time.After(time.Second - 1)
		require.False(t, s.allow())
		<-time.After(1)
		require.True(t, s.allow())
	})
}
