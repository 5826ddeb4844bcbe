package proxy

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

// What a spool does that is nearly full.
const (
	spoolShed     = "shed"
	spoolMetadata = "metadata"
)

func (c *Config) spool(log *slog.Logger) spool.Config {
	return spool.Config{
		Dir: filepath.Join(c.Data, "spool"), Bytes: c.SpoolBytes, Shed: c.SpoolFull == spoolShed,
		Recover: control.Abort, Strip: control.Strip, Log: log,
	}
}

// wellSpooled is what readiness says of the spool when nothing is wrong.
const wellSpooled = "ok"

// spoolState says in a sentence how the spool is, the worst first.
func spoolState(st spool.Stats) string {
	switch {
	case st.Level == spool.Shedding:
		return "full: new requests are refused until records are stored"
	case st.DiskFailing:
		return "the disk refuses records: they wait in memory until they are stored"
	case st.Unsynced:
		return "the disk does not confirm what is written: records may not outlive a power failure"
	case st.Lost > 0:
		return "records were damaged or removed on the disk before they were stored: the log says which"
	case st.Level == spool.Bare:
		return "nearly full: new records are kept without content"
	case st.Level == spool.Crowded:
		return "filling up: the content of the oldest records is dropped"
	}
	return wellSpooled
}

// measureSpool shows what waits in the spool, and what it cost.
func measureSpool(m metric.Meter, sp *spool.Spool) error {
	waiting, err := m.Int64ObservableGauge("signalbox_spool_records_waiting", metric.WithDescription("Records written here that the store has not confirmed."))
	size, err1 := m.Int64ObservableGauge("signalbox_spool_size", metric.WithUnit("By"), metric.WithDescription("Files of the spool, those of dead processes included."))
	limit, err2 := m.Int64ObservableGauge("signalbox_spool_limit", metric.WithUnit("By"), metric.WithDescription("Room that the spool may take."))
	dropped, err3 := m.Int64ObservableCounter("signalbox_spool_bodies_dropped", metric.WithDescription("Records whose content was given up for want of room."))
	refused, err4 := m.Int64ObservableCounter("signalbox_spool_refused", metric.WithDescription("Requests of which no record could be kept."))
	lost, err5 := m.Int64ObservableCounter("signalbox_spool_lost", metric.WithDescription("Records that were damaged or removed on the disk before they were stored."))
	if err := errors.Join(err, err1, err2, err3, err4, err5); err != nil {
		return err
	}
	_, err = m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		st := sp.Stats()
		o.ObserveInt64(waiting, int64(st.Waiting))
		o.ObserveInt64(size, st.Bytes)
		o.ObserveInt64(limit, st.Limit)
		o.ObserveInt64(dropped, int64(st.Dropped))
		o.ObserveInt64(refused, int64(st.Refused))
		o.ObserveInt64(lost, int64(st.Lost))
		return nil
	}, waiting, size, limit, dropped, refused, lost)
	return err
}
