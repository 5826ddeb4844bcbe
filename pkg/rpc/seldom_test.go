package rpc

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s seldom
		require.True(t, s.again())
		require.False(t, s.again())
		<-time.After(time.Second - 1)
		require.False(t, s.again())
		<-time.After(1)
		require.True(t, s.again())
	})
}
