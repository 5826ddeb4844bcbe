package spool

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// A cleanup job deletes the directory of a living process.
func TestARemovedDirectoryIsMadeAgain(t *testing.T) {
	for name, remove := range map[string]func(s *Spool, c Config) error{
		"directory": func(s *Spool, _ Config) error { return os.RemoveAll(s.own.dir) },
		"spool":     func(_ *Spool, c Config) error { return os.RemoveAll(c.Dir) },
		"segment":   func(s *Spool, _ Config) error { return os.Remove(s.own.segments[0].path) },
	} {
		t.Run(name, func(t *testing.T) {
			c, store := config(t, t.TempDir()), newLedger()
			var texts []string
			synctest.Test(t, func(t *testing.T) {
				pub := &flaky{Memory: records.NewMemory(), lose: true}
				s := open(t, c)
				stop := ship(t, s, pub, pub, store)
				texts = write(t, s, 0, 3)
				require.NoError(t, s.Start(id(9), withHeadroom([]byte("never ended"))))
				<-time.After(time.Second)
				require.NoError(t, remove(s, c))
				texts = append(texts, write(t, s, 3, 6)...)
				<-time.After(time.Second)
				require.Len(t, segmentsOf(t, c.Dir, s.own.producer), 1, "as it was")
				texts = append(texts, write(t, s, 6, 9)...)
				require.Zero(t, open(t, c).adopted(), "and locked")
				stop()
				crash(s)
			})
			require.Equal(t, append([]string{"aborted never ended"}, texts...), shipAll(t, c, store))
			require.Empty(t, names(t, c.Dir))
		})
	}
}

// The records of the removed file are read from its open descriptor while it cannot be
// written again, and readiness reports it.
func TestARemovedFileIsReadWhileItCanBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, mem, store := config(t, t.TempDir()), records.NewMemory(), newLedger()
		s := open(t, c)
		texts := write(t, s, 0, 3)
		require.NoError(t, os.RemoveAll(s.own.dir))
		require.NoError(t, os.WriteFile(s.own.dir, nil, 0o600))
		texts = append(texts, write(t, s, 3, 6)...)
		<-time.After(time.Second)
		require.True(t, s.Stats().SyncFailing)
		defer ship(t, s, mem, mem, store)()
		require.Error(t, s.Start(id(9), withHeadroom(nil)))
		require.NoError(t, s.End(id(9), withHeadroom([]byte("record in memory"))))
		flush(t, s)
		require.Equal(t, append(texts, "record in memory"), store.texts())
		require.Zero(t, s.Stats().Lost)
		require.True(t, s.Stats().DiskFailing)

		require.NoError(t, os.Remove(s.own.dir))
		<-time.After(2 * probeInterval)
		require.False(t, s.Stats().DiskFailing)
		require.False(t, s.Stats().SyncFailing)
	})
}

func TestARemovedFileIsPutBackWithoutFurtherRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(t, t.TempDir())
		s := open(t, c)
		require.NoError(t, os.RemoveAll(s.own.dir))
		require.NoError(t, os.WriteFile(s.own.dir, nil, 0o600))
		write(t, s, 0, 3)
		<-time.After(time.Second)
		require.True(t, s.Stats().SyncFailing)
		require.NoError(t, os.Remove(s.own.dir))
		<-time.After(2 * probeInterval)
		require.False(t, s.Stats().SyncFailing)
		require.Len(t, segmentsOf(t, c.Dir, s.own.producer), 1)
	})
}

// Records of a removed file that is no longer open are lost and counted.
func TestWhatVanishedIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, pub, store := config(t, t.TempDir()), &flaky{Memory: records.NewMemory(), refuse: true}, newLedger()
		c.SegmentBytes = 1
		dead := open(t, c)
		write(t, dead, 0, 2)
		crash(dead)
		s := open(t, c)
		write(t, s, 2, 4)
		<-time.After(time.Second)
		require.NoError(t, os.RemoveAll(c.Dir))
		defer ship(t, s, pub, pub, store)()
		pub.set(func() { pub.refuse = false })
		<-time.After(time.Minute)
		require.EqualValues(t, 3, s.Stats().Lost, "two of the dead one, one of ours")
		require.Len(t, store.texts(), 1)
		require.Zero(t, s.adopted())
	})
}
