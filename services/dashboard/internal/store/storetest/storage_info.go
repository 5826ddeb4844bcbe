package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

func storageInfo(t *testing.T, s *store.Store) {
	before, err := s.StorageInfo(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, before.Database)
	require.Positive(t, before.Bytes)
	require.True(t, before.LastStored.IsZero())
	began := time.Now().Truncate(time.Microsecond)
	for n := range 200 {
		insert(t, s, Make("a", n))
	}
	after, err := s.StorageInfo(t.Context())
	require.NoError(t, err)
	require.Greater(t, after.Bytes, before.Bytes)
	require.False(t, after.LastStored.Before(began))
	require.False(t, after.LastStored.After(time.Now()))
}
