package proxy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

// Readiness shows the most serious problem: a full spool rejects requests, whatever else is wrong.
func TestDescribeSpoolNamesTheMostSeriousProblem(t *testing.T) {
	require.Equal(t, "ok", describeSpool(spool.Stats{}))
	require.Equal(t, "full: new requests are rejected until records reach the ledger",
		describeSpool(spool.Stats{Level: spool.Shedding, DiskFailing: true, SyncFailing: true, Lost: 1}))
	require.Contains(t, describeSpool(spool.Stats{DiskFailing: true, SyncFailing: true, Lost: 1}), "disk writes fail")
	require.Contains(t, describeSpool(spool.Stats{SyncFailing: true, Lost: 1}), "disk syncs fail")
	require.Contains(t, describeSpool(spool.Stats{Lost: 1, Level: spool.MetadataOnly}), "damaged or removed")
	require.Contains(t, describeSpool(spool.Stats{Level: spool.MetadataOnly}), "nearly full")
}
