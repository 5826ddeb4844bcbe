package record

import "time"

// Bucket is one step of a series.
type Bucket struct {
	Start time.Time
	// Counts has each way and end at most once.
	Counts []Count
}

// Count is how many requests went that way and ended so.
type Count struct {
	Route    Route
	Outcome  Outcome
	Requests int64
}

// Add counts more requests.
func (b *Bucket) Add(c Count) {
	for i := range b.Counts {
		if old := &b.Counts[i]; old.Route == c.Route && old.Outcome == c.Outcome {
			old.Requests += c.Requests
			return
		}
	}
	b.Counts = append(b.Counts, c)
}

// Figures are the numbers at the top of an overview.
type Figures struct {
	// Requests is how many there were. The others count some of them: those
	// that ended well, those that were refused for what the caller asked, and
	// those that a fallback or a policy served.
	Requests, OK, Rejected, Fallback, Policy int64

	// Measured is how many of the newest requests the spans come from, in
	// microseconds; Streamed is how many of these have a first token.
	Measured, Streamed              int64
	GatewayP50, GatewayP95, TTFTP95 int64
}

// Count counts more requests.
func (f *Figures) Count(c Count) {
	f.Requests += c.Requests
	switch c.Outcome {
	case OK:
		f.OK += c.Requests
	case Rejected:
		f.Rejected += c.Requests
	}
	switch c.Route {
	case Fallback:
		f.Fallback += c.Requests
	case Policy:
		f.Policy += c.Requests
	}
}

// Measure takes the spans, each from the shortest to the longest.
func (f *Figures) Measure(gateway, ttft []int64) {
	f.Measured, f.Streamed = int64(len(gateway)), int64(len(ttft))
	f.GatewayP50, f.GatewayP95, f.TTFTP95 = percentile(gateway, 50), percentile(gateway, 95), percentile(ttft, 95)
}

// percentile is the smallest value that so many of a hundred do not exceed.
func percentile(sorted []int64, p int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*p+99)/100-1]
}
