package recordcodec

import (
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// comparisonSchema is the schema of a record that contains a comparison. A dashboard that
// does not know it parks the record instead of storing a request that never was.
const comparisonSchema = 3

// AppendComparison encodes a comparison.
func (Codec) AppendComparison(dst []byte, c *ledger.Comparison) []byte {
	e := encoder{dst}
	e.writeInt(1, comparisonSchema)
	e.writeBytes(2, c.ID[:])
	e.writeText(5, c.AccountID)
	e.writeText(6, c.KeyID)
	e.writeText(7, c.KeyName)
	e.writeTime(8, c.Time)
	e.writeText(31, c.PolicyVersion)
	at := e.openMessage(61)
	e.writeBytes(1, c.RequestID[:])
	e.writeText(2, c.Experiment)
	e.writeText(3, c.Task)
	e.writeText(4, c.Served.Model)
	e.writeText(5, c.Served.Provider)
	e.writeText(6, c.Candidate.Model)
	e.writeText(7, c.Candidate.Provider)
	e.writeText(8, c.Candidate.Effort)
	e.writeText(9, c.Judge.Model)
	e.writeText(10, c.Judge.Provider)
	e.writeText(11, string(c.Result))
	e.writeInt(12, c.Score)
	e.writeBool(13, c.Consistent)
	e.writeAmount(14, c.CandidateCost)
	e.writeAmount(15, c.JudgeCost)
	e.writeInt(16, int64(comparisonBasis(c)))
	e.writeText(17, c.Code)
	e.writeDuration(18, c.Latency)
	e.closeMessage(at)
	return e.buf
}

func comparisonBasis(c *ledger.Comparison) recordv1.CostBasis {
	if c.Estimated {
		return recordv1.CostBasis_COST_BASIS_ESTIMATED
	}
	return recordv1.CostBasis_COST_BASIS_FINAL
}
