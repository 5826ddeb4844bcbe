package spool

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The START frame of an aborted request stays until the disk has the record that recovery wrote.
// A power failure could remove the record, and only the START frame shows that the request existed.
func TestAStartOutlivesARecoveryThatIsNotSynced(t *testing.T) {
	c := config(t, t.TempDir())
	dead := open(t, c)
	defer crash(dead)
	require.NoError(t, dead.Start(id(1), withHeadroom([]byte("one"))))

	other := config(t, t.TempDir())
	s, err := Open(other)
	require.NoError(t, err)
	defer crash(s)
	unsyncable(t, s)
	r := newRecovery(other, s.own)
	r.starts[id(1)] = foundStart{id: id(1), journal: dead.own, payload: []byte("one")}
	r.endAbortedRequests()
	require.True(t, dead.own.hasOpenStart(id(1)))
	require.Len(t, r.ended, 1, "the next call syncs again")
}
