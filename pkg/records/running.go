package records

import "time"

// RunningTTL is how long a report of running requests counts. A proxy reports every second, so the
// requests of a proxy that has died disappear after this time.
const RunningTTL = 5 * time.Second

// RunningRequest is a request that a proxy is serving now.
type RunningRequest struct {
	// Elapsed is how long the proxy has worked on the request, by its monotonic clock.
	Elapsed time.Duration `json:"elapsed"`
	// Record is an encoded signalbox.record.v1.RequestRecord with what is known before the first
	// upstream call. It contains no text of the request.
	Record []byte `json:"record"`
}
