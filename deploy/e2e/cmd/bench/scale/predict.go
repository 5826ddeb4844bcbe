package scale

import (
	"runtime"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/scale/model"
)

// batchLimit is how many records a dashboard takes from Redis at a time when many wait (package
// records). Batches are that large before ingest is at its limit.
const batchLimit = 1000

// costs are what one component costs, in CPU seconds. All but the idle part come from one proxy.
type costs struct {
	// idle is the CPU time per second without requests, by number of proxies.
	idle model.Line
	// perRequest and perBatch are on top of that. perBatch is 0 for components without batches.
	perRequest, perBatch float64
	// perKey is the cost of a created key, by number of proxies.
	perKey model.Line
}

// fitCosts returns the costs of a component. rounds are those of one proxy.
func fitCosts(all []*figures, name string, rounds ...[]window) (c costs) {
	var n, idle, keys []float64
	for _, f := range all {
		rate := f.idle.cpu[name] / f.idle.seconds
		n, idle = append(n, float64(f.proxies)), append(idle, rate)
		keys = append(keys, max(0, f.keys.cpu[name]-rate*f.keys.seconds)/keyCount)
	}
	c.idle, c.perKey = model.FitLine(n, idle), model.FitLine(n, keys)
	var inverse, each []float64
	for _, windows := range rounds {
		w := mergeWindows(windows)
		inverse = append(inverse, w.batches/float64(w.requests))
		each = append(each, max(0, w.cpu[name]-idle[0]*w.seconds)/float64(w.requests))
	}
	perBatch := model.FitLine(inverse, each)
	if name != dashboard && name != postgres {
		// The last rounds decide, which are those at the load to predict.
		perBatch = model.Line{Start: each[len(each)-1]}
	}
	c.perRequest, c.perBatch = perBatch.Start, perBatch.Slope
	return c
}

// mergeWindows returns the sum of several rounds.
func mergeWindows(windows []window) window {
	sum := window{cpu: map[string]float64{}}
	for _, w := range windows {
		sum.seconds += w.seconds
		sum.requests += w.requests
		sum.batches += w.batches
		for name, used := range w.cpu {
			sum.cpu[name] += used
		}
	}
	return sum
}

// predictCPU returns the CPU seconds that the component uses in the windows of a number of proxies.
func (c costs) predictCPU(proxies int, w window) float64 {
	return c.idle.At(float64(proxies))*w.seconds + c.perRequest*float64(w.requests) + c.perBatch*w.batches
}

// predictThroughput returns the responses per second at full load: as many as the cores of the proxies
// or all cores of the machine can serve. The load generator and the upstream use the same cores.
func predictThroughput(all []*figures, proxyCount int) float64 {
	var work float64
	for _, name := range components {
		c := fitCosts(all, name, all[0].steady, all[0].full)
		work += c.perRequest + c.perBatch*mergeWindows(all[0].full).batches/float64(mergeWindows(all[0].full).requests)
	}
	cores := runtime.NumCPU()
	perProxy := fitCosts(all, proxies, all[0].full).perRequest
	return min(float64(min(proxyCount, cores))/perProxy, float64(cores)/work)
}

// newStations returns the components that all proxies share. Ingest is the loop of a dashboard that
// stores one batch after the other: it waits for Postgres meanwhile.
func newStations(all []*figures) []model.Station {
	fit := func(name string) costs { return fitCosts(all, name, all[0].steady, all[0].full) }
	station := func(name string, c costs) model.Station {
		return model.Station{
			Name: name, Fixed: c.idle.Start, PerProxy: c.idle.Slope, PerRequest: c.perRequest + c.perBatch/batchLimit, PerVisit: 1,
			PerChange: c.perKey.Start, PerPush: c.perKey.Slope,
		}
	}
	stream, database := station(redis, fit(redis)), station(postgres, fit(postgres))
	stream.Single = true
	ingest := station("ingest", fit(dashboard))
	ingest.PerRequest += database.PerRequest
	ingest.PerVisit = batchLimit
	return []model.Station{station(balancer, fit(balancer)), station(router, fit(router)), station(keyauth, fit(keyauth)), stream, ingest, database}
}
