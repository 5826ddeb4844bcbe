package control

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/protowriter"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// recordSchema is the version of a record's meaning.
const recordSchema = 1

// RecordCodec encodes records as signalbox.record.v1.RequestRecord.
type RecordCodec struct{}

var _ ledger.Codec = RecordCodec{}

// Head writes what is known before an upstream is reached. The numbers of the
// fields are those of record.proto; a test holds them against the generated
// code.
func (RecordCodec) Head(dst []byte, r *ledger.Record) []byte {
	e := encoder{protowriter.Writer{Buf: dst}}
	e.Signed(1, recordSchema)
	e.Bytes(2, r.ID[:])
	e.text(4, r.ClientRequestID)
	e.text(5, r.AccountID)
	e.text(6, r.KeyID)
	e.text(7, r.KeyName)
	e.time(8, r.Time)
	e.Signed(9, int64(endpointOf(r.Kind)))
	e.Signed(10, flag(r.Stream))
	e.text(11, r.RequestedModel)
	if r.Decision != nil {
		e.decision(r.Decision)
	}
	e.duration(35, r.AuthTime)
	e.duration(36, r.RouteTime)
	e.Signed(37, int64(r.ClientRetry))
	e.text(38, r.ClientAddress)
	if r.Question != nil {
		e.inputs(43, r.Question, r.Decision)
	}
	return e.Buf
}

// Tail writes what became of the request, its content last.
func (RecordCodec) Tail(dst []byte, r *ledger.Record) []byte {
	e := encoder{protowriter.Writer{Buf: dst}}
	e.text(12, r.Served.Model)
	e.text(13, r.Served.Provider)
	e.Signed(14, int64(routeOf(r.Route)))
	e.Signed(16, int64(outcomeOf(r.Outcome)))
	e.Signed(17, int64(r.Status))
	e.text(18, r.Code)
	e.text(19, r.Message)
	e.tokens(20, &r.Usage)
	e.amount(21, r.Cost)
	e.Signed(22, int64(costBasis(r)))
	e.amount(24, r.Baseline)
	e.duration(25, r.Latency)
	e.duration(26, r.FirstToken)
	e.duration(27, r.GatewayTime())
	for i := range r.Attempts {
		e.attempt(28, &r.Attempts[i])
	}
	e.Signed(39, int64(captureOf(r.Captured())))
	e.money(r)
	e.content(34, r)
	return e.Buf
}

func (e *encoder) time(field protowire.Number, t time.Time) {
	at := e.Open(field)
	e.Signed(1, t.Unix())
	e.Signed(2, int64(t.Nanosecond()))
	e.Close(at)
}

func (e *encoder) tokens(field protowire.Number, u *catalog.Usage) {
	at := e.Open(field)
	e.Signed(1, u.Input)
	e.Signed(2, u.CacheRead)
	e.Signed(3, u.CacheWrite)
	e.Signed(4, u.Output)
	e.Signed(5, u.Reasoning)
	e.Signed(6, u.CacheWrite1h)
	e.Close(at)
}

func (e *encoder) attempt(field protowire.Number, a *ledger.Attempt) {
	at := e.Open(field)
	e.text(1, a.Target.Provider)
	e.text(2, a.Target.Model)
	e.Signed(3, int64(a.Status))
	e.text(4, a.Code)
	e.duration(5, a.Started)
	e.duration(6, a.FirstToken)
	e.duration(7, a.Ended)
	e.amount(8, a.Cost)
	e.text(9, a.UpstreamID)
	if a.Usage != nil {
		e.tokens(10, a.Usage)
	}
	if a.Cost.Known {
		e.costs(11, &a.Costs)
	}
	if a.Cost.Known && a.Usage != nil {
		e.price(12, &a.Price)
	}
	e.Signed(13, int64(basisOf(a)))
	for _, name := range a.Dropped {
		e.text(14, name)
	}
	e.Signed(15, a.UsageDifference)
	e.Maybe(16, a.ReportedNanoUSD)
	e.Close(at)
}

// decision writes the fields of the record that come from it.
func (e *encoder) decision(d *decide.Decision) {
	at := e.Open(15)
	e.text(1, d.Reason.Code)
	e.text(2, d.Reason.Text)
	e.text(3, d.Reason.Rule)
	e.Close(at)
	e.text(23, d.Baseline)
	for i := range d.Verdicts {
		e.candidate(29, &d.Verdicts[i])
	}
	e.numbers(30, d.Features)
	e.text(31, d.Policy)
	e.text(32, d.Catalog)
	e.text(33, d.Engine)
}

func (e *encoder) candidate(field protowire.Number, v *decide.Verdict) {
	at := e.Open(field)
	e.text(1, v.Target.Model)
	e.text(2, v.Target.Provider)
	e.text(3, v.Code)
	e.text(4, v.Text)
	e.Maybe(5, v.Predicted.Pointer())
	e.Signed(6, v.Latency)
	e.Signed(7, v.Quality)
	e.text(8, v.Down)
	e.Close(at)
}

func (e *encoder) content(field protowire.Number, r *ledger.Record) {
	if r.Request == nil && r.Response == nil {
		return
	}
	at := e.Open(field)
	e.Bytes(1, r.Request)
	e.Bytes(2, r.Response)
	e.Signed(3, r.RequestLen)
	e.Signed(4, r.ResponseLen)
	e.Close(at)
}
