// Package normalize turns the responses of upstreams into responses for our clients, which
// use the wire format of OpenAI. Many upstreams deviate from this format, and clients would not
// understand their responses.
//
// Chat and Embeddings normalize a complete response. A Stream normalizes the
// events of a stream, and a Transcript records its output. A Collector turns a stream into
// a complete response. Unknown members are preserved. All of them report the usage and the
// cost that the upstream reported.
//
// The package makes no HTTP calls and contains no code that is specific to one provider.
// Package dispatch and the suites of the provider adapters use it.
package normalize

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// Response is an upstream's response, normalized for clients.
type Response struct {
	Body []byte
	// Usage is the usage that the upstream reported, or nil.
	Usage *catalog.Usage
	// OutputUnknown is set if the upstream reported only input tokens.
	OutputUnknown bool
	// UsageDiscrepancy is the total that the upstream reported minus the total of
	// Usage, in tokens. It is 0 if the upstream reported no total.
	UsageDiscrepancy int64
	// ReportedNanoUSD is the cost that the upstream reports, or nil.
	ReportedNanoUSD *int64
	// OutputTextBytes is the approximate length of the model's output, for
	// estimates.
	OutputTextBytes int
	// Unpriced names what the upstream charges in addition to Usage and the catalog has no
	// prices for, such as web_search.
	Unpriced []string
	// isPooled is set if Release may reuse the memory of Body.
	isPooled bool
}

// reportedValues returns a Response with only the values that the upstream reported.
func reportedValues(u *usagereport.Report) Response {
	return Response{
		Usage: u.Buckets(), OutputUnknown: u.IsInputOnly(),
		UsageDiscrepancy: u.Discrepancy(), ReportedNanoUSD: u.CostNanoUSD(), Unpriced: u.Unpriced(),
	}
}
