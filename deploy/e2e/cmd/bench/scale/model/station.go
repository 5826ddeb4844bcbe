package model

import "math"

// Station is a component of the deployment with what it costs, in seconds of CPU time of one core.
type Station struct {
	Name string
	// Fixed and PerProxy are the cost per second without requests: of the component, and of each
	// proxy that is connected to it.
	Fixed, PerProxy float64
	// PerRequest is the cost of one request.
	PerRequest float64
	// PerVisit is how many requests are served together; 1 unless it works in batches.
	PerVisit float64
	// PerChange and PerPush are the cost of a changed key, and of telling it to one proxy.
	PerChange, PerPush float64
	// Single is set if more instances do not help.
	Single bool
}

// Traffic is the load on a deployment.
type Traffic struct {
	Proxies int
	// PerProxy is the requests per second of each proxy. KeyChanges is the changed keys per second of
	// the deployment.
	PerProxy, KeyChanges float64
}

// Rate returns the requests per second of all proxies.
func (t Traffic) Rate() float64 { return float64(t.Proxies) * t.PerProxy }

// Work returns the CPU seconds per second that the traffic costs the station.
func (s Station) Work(t Traffic) float64 {
	proxies := float64(t.Proxies)
	return s.Fixed + s.PerProxy*proxies + s.PerRequest*t.Rate() + t.KeyChanges*(s.PerChange+s.PerPush*proxies)
}

// Needed returns the smallest number of cores that are busy for at most the given share of the time.
func (s Station) Needed(t Traffic, most float64) int {
	return max(1, int(math.Ceil(s.Work(t)/most-1e-9)))
}

// Wait returns the mean wait of a request, or of a batch, with a number of cores. Other work of the
// station occupies the cores too. It returns false if the cores do not suffice.
func (s Station) Wait(t Traffic, cores int) (seconds float64, stable bool) {
	visits := t.Rate() / s.PerVisit
	if visits == 0 {
		return 0, s.Work(t) < float64(cores)
	}
	return MeanWait(cores, visits, s.Work(t)/visits)
}

// Saturates returns the number of proxies at which one core is busy all the time.
func (s Station) Saturates(t Traffic) float64 {
	perProxy := s.PerProxy + s.PerRequest*t.PerProxy + t.KeyChanges*s.PerPush
	if perProxy <= 0 {
		return math.Inf(1)
	}
	return max(0, 1-s.Fixed-t.KeyChanges*s.PerChange) / perProxy
}
