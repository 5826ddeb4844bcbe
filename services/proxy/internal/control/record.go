package control

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// recordSchema is the version of a record's meaning.
const recordSchema = 1

// RecordCodec encodes records as signalbox.record.v1.RequestRecord.
type RecordCodec struct{}

var _ ledger.Codec = RecordCodec{}

// Append writes a record behind dst. The numbers of the fields are those of
// record.proto; a test holds them against the generated code.
func (RecordCodec) Append(dst []byte, r *ledger.Record) []byte {
	e := &encoder{b: dst}
	e.num(1, recordSchema)
	e.bytes(2, r.ID[:])
	e.text(4, r.ClientRequestID)
	e.text(5, r.AccountID)
	e.text(6, r.KeyID)
	e.text(7, r.KeyName)
	e.time(8, r.Time)
	e.num(9, int64(endpointOf(r.Kind)))
	e.num(10, flag(r.Stream))
	e.text(11, r.RequestedModel)
	e.text(12, r.Served.Model)
	e.text(13, r.Served.Provider)
	e.num(14, int64(routeOf(r.Route)))
	e.num(16, int64(outcomeOf(r.Outcome)))
	e.num(17, int64(r.Status))
	e.text(18, r.Code)
	e.text(19, r.Message)
	e.tokens(20, &r.Usage)
	e.maybe(21, r.Cost)
	e.num(22, int64(costBasis(r)))
	e.maybe(24, r.Baseline)
	e.duration(25, r.Latency)
	e.duration(26, r.FirstToken)
	e.duration(27, r.GatewayTime())
	for i := range r.Attempts {
		e.attempt(28, &r.Attempts[i])
	}
	if r.Decision != nil {
		e.decision(r.Decision)
	}
	e.content(34, r)
	e.duration(35, r.AuthTime)
	e.duration(36, r.RouteTime)
	e.num(37, int64(r.ClientRetry))
	e.text(38, r.ClientAddress)
	e.num(39, int64(captureOf(r.Captured())))
	e.money(r)
	return e.b
}

func (e *encoder) time(field protowire.Number, t time.Time) {
	at := e.open(field)
	e.num(1, t.Unix())
	e.num(2, int64(t.Nanosecond()))
	e.close(at)
}

func (e *encoder) tokens(field protowire.Number, u *catalog.Usage) {
	at := e.open(field)
	e.num(1, u.Input)
	e.num(2, u.CacheRead)
	e.num(3, u.CacheWrite)
	e.num(4, u.Output)
	e.num(5, u.Reasoning)
	e.close(at)
}

func (e *encoder) attempt(field protowire.Number, a *ledger.Attempt) {
	at := e.open(field)
	e.text(1, a.Target.Provider)
	e.text(2, a.Target.Model)
	e.num(3, int64(a.Status))
	e.text(4, a.Code)
	e.duration(5, a.Started)
	e.duration(6, a.FirstToken)
	e.duration(7, a.Ended)
	e.maybe(8, a.Cost)
	e.text(9, a.UpstreamID)
	if a.Usage != nil {
		e.tokens(10, a.Usage)
	}
	if a.Cost != nil {
		e.costs(11, &a.Costs)
	}
	if a.Cost != nil && a.Usage != nil {
		e.price(12, &a.Price)
	}
	e.num(13, int64(basisOf(a)))
	e.close(at)
}

// decision writes the fields of the record that come from it.
func (e *encoder) decision(d *decide.Decision) {
	at := e.open(15)
	e.text(1, d.Reason.Code)
	e.text(2, d.Reason.Text)
	e.text(3, d.Reason.Rule)
	e.close(at)
	e.text(23, d.Baseline)
	for i := range d.Verdicts {
		e.candidate(29, &d.Verdicts[i])
	}
	for name, v := range d.Features {
		at := e.open(30)
		e.text(1, name)
		e.num(2, v)
		e.close(at)
	}
	e.text(31, d.Policy)
	e.text(32, d.Catalog)
	e.text(33, d.Engine)
}

func (e *encoder) candidate(field protowire.Number, v *decide.Verdict) {
	at := e.open(field)
	e.text(1, v.Target.Model)
	e.text(2, v.Target.Provider)
	e.text(3, v.Code)
	e.text(4, v.Text)
	e.maybe(5, v.Predicted)
	e.close(at)
}

func (e *encoder) content(field protowire.Number, r *ledger.Record) {
	if r.Request == nil && r.Response == nil {
		return
	}
	at := e.open(field)
	e.bytes(1, r.Request)
	e.bytes(2, r.Response)
	e.num(3, r.RequestLen)
	e.num(4, r.ResponseLen)
	e.close(at)
}
