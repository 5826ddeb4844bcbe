package record

import "time"

// Bucket is one step of a series.
type Bucket struct {
	Start time.Time
	// Counts has at most one entry per route and outcome.
	Counts []Count
}

// Count is the number of requests with one route and one outcome.
type Count struct {
	Route    Route
	Outcome  Outcome
	Requests int64
}

// ServedRoute returns the route of requests that were served. It is empty for requests
// that failed or were rejected, whatever their route, so that no request counts twice. A
// client that disconnects was served.
func (c Count) ServedRoute() Route {
	if c.Outcome != OutcomeOK && c.Outcome != OutcomeClientClosed {
		return ""
	}
	return c.Route
}

// Add adds the count to the entry with the same route and outcome.
func (b *Bucket) Add(c Count) {
	for i := range b.Counts {
		if old := &b.Counts[i]; old.Route == c.Route && old.Outcome == c.Outcome {
			old.Requests += c.Requests
			return
		}
	}
	b.Counts = append(b.Counts, c)
}

// Figures are the headline numbers of an overview. The percentiles are in
// microseconds.
type Figures struct {
	// Requests counts all requests. OK, Rejected, Fallback and Policy count subsets:
	// successful, rejected, served by a fallback, and served by the choice of a policy rule.
	Requests, OK, Rejected, Fallback, Policy int64

	// LatencySamples is the number of recent requests from which the percentiles
	// of the gateway time are computed.
	LatencySamples int64
	// TTFTSamples is the number of these requests that have a time to first token.
	TTFTSamples                     int64
	GatewayP50, GatewayP95, TTFTP95 int64
}

// AddCount adds requests to all figures to which they belong.
func (f *Figures) AddCount(c Count) {
	f.Requests += c.Requests
	switch c.Outcome {
	case OutcomeOK:
		f.OK += c.Requests
	case OutcomeRejected:
		f.Rejected += c.Requests
	}
	switch c.ServedRoute() {
	case RouteFallback:
		f.Fallback += c.Requests
	case RoutePolicy:
		f.Policy += c.Requests
	}
}

// SetLatencies computes the percentiles. Both slices must be sorted.
func (f *Figures) SetLatencies(gateway, ttft []int64) {
	f.LatencySamples, f.TTFTSamples = int64(len(gateway)), int64(len(ttft))
	f.GatewayP50, f.GatewayP95, f.TTFTP95 = Percentile(gateway, 50), Percentile(gateway, 95), Percentile(ttft, 95)
}

// Percentile returns the smallest value v such that at least p percent of the
// values are v or less. It returns 0 without values.
func Percentile(sorted []int64, p int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*p+99)/100-1]
}
