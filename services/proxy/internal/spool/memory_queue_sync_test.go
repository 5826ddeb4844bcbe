package spool

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// A START frame is released only once the saved record is on the disk. If the sync fails, a
// power failure may remove the record, and only the START frame shows that the request existed.
func TestAStartOutlivesASaveThatIsNotSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, config(t, t.TempDir()))
		defer crash(s)
		require.NoError(t, s.Start(id(1), withHeadroom([]byte("one"))))
		mend := fillDisk(t, s)
		require.NoError(t, s.End(id(1), withHeadroom([]byte("ended one"))))
		mend()
		items := s.queue.unsavedItems()
		require.Len(t, items, 1)
		require.NoError(t, s.queue.saveItem(items[0], items[0].payload))
		require.NoError(t, s.queue.savedJournal.activeFile.Close(), "so that its sync fails")
		require.Error(t, s.releaseSaved(items))
		require.True(t, s.own.hasOpenStart(id(1)))
	})
}
