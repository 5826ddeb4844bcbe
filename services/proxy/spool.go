package proxy

import (
	"errors"
	"log/slog"
	"path/filepath"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/services/proxy/internal/recordcodec"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

// The values of SpoolFull.
const (
	spoolShed     = "shed"
	spoolMetadata = "metadata"
)

func (c *Config) spoolConfig(log *slog.Logger) spool.Config {
	return spool.Config{
		Dir: filepath.Join(c.Data, "spool"), MaxBytes: c.SpoolBytes, Shed: c.SpoolFull == spoolShed,
		Recover: recordcodec.AbortedRecord, StripBody: recordcodec.StripContent, Log: log,
	}
}

// spoolOK is the state of a spool without problems.
const spoolOK = "ok"

// describeSpool describes the most serious problem of the spool, or returns spoolOK.
func describeSpool(st spool.Stats) string {
	switch {
	case st.Level == spool.Shedding:
		return "full: new requests are rejected until records reach the ledger"
	case st.DiskFailing:
		return "disk writes fail: records are held in memory until they reach the ledger or the disk works again"
	case st.SyncFailing:
		return "disk syncs fail: records may not survive a power failure"
	case st.Lost > 0:
		return "records in the spool were damaged or removed before they reached the ledger: see the log"
	case st.Level == spool.MetadataOnly:
		return "nearly full: new records are written without content"
	case st.Level == spool.Trimming:
		return "filling up: the content of the oldest records is dropped"
	}
	return spoolOK
}

func measureSpool(m metric.Meter, sp *spool.Spool) error {
	var errs [6]error
	_, errs[0] = m.Int64ObservableGauge("signalbox_spool_records_waiting", metric.WithDescription("Records that have not reached the ledger yet, including those of earlier processes."),
		observe(func() int64 { return int64(sp.Stats().Waiting) }))
	_, errs[1] = m.Int64ObservableGauge("signalbox_spool_size", metric.WithUnit("By"), metric.WithDescription("Size of the spool files, including those of earlier processes."),
		observe(func() int64 { return sp.Stats().Bytes }))
	_, errs[2] = m.Int64ObservableGauge("signalbox_spool_limit", metric.WithUnit("By"), metric.WithDescription("Maximum size of the spool."),
		observe(func() int64 { return sp.Stats().MaxBytes }))
	_, errs[3] = m.Int64ObservableCounter("signalbox_spool_contents_dropped", metric.WithDescription("Records whose content was dropped because the spool was nearly full."),
		observe(func() int64 { return int64(sp.Stats().DroppedBodies) }))
	_, errs[4] = m.Int64ObservableCounter("signalbox_spool_rejected", metric.WithDescription("Requests that have no record, because the spool could not write it."),
		observe(func() int64 { return int64(sp.Stats().WithoutRecord) }))
	_, errs[5] = m.Int64ObservableCounter("signalbox_spool_lost", metric.WithDescription("Records that were damaged or removed on disk before they reached the ledger."),
		observe(func() int64 { return int64(sp.Stats().Lost) }))
	return errors.Join(errs[:]...)
}
