package proxy

import (
	"context"
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
	waiting, err := m.Int64ObservableGauge("signalbox_spool_records_waiting", metric.WithDescription("Records that have not reached the ledger yet, including those of earlier processes."))
	size, err1 := m.Int64ObservableGauge("signalbox_spool_size", metric.WithUnit("By"), metric.WithDescription("Size of the spool files, including those of earlier processes."))
	limit, err2 := m.Int64ObservableGauge("signalbox_spool_limit", metric.WithUnit("By"), metric.WithDescription("Maximum size of the spool."))
	dropped, err3 := m.Int64ObservableCounter("signalbox_spool_contents_dropped", metric.WithDescription("Records whose content was dropped because the spool was nearly full."))
	withoutRecord, err4 := m.Int64ObservableCounter("signalbox_spool_rejected", metric.WithDescription("Requests that have no record, because the spool could not write it."))
	lost, err5 := m.Int64ObservableCounter("signalbox_spool_lost", metric.WithDescription("Records that were damaged or removed on disk before they reached the ledger."))
	if err := errors.Join(err, err1, err2, err3, err4, err5); err != nil {
		return err
	}
	_, err = m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		st := sp.Stats()
		o.ObserveInt64(waiting, int64(st.Waiting))
		o.ObserveInt64(size, st.Bytes)
		o.ObserveInt64(limit, st.MaxBytes)
		o.ObserveInt64(dropped, int64(st.DroppedBodies))
		o.ObserveInt64(withoutRecord, int64(st.WithoutRecord))
		o.ObserveInt64(lost, int64(st.Lost))
		return nil
	}, waiting, size, limit, dropped, withoutRecord, lost)
	return err
}
