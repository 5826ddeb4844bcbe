package compare

import (
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

// column is one column of a table.
type column struct {
	// under and name are the two lines of the heading.
	under, name string
	// loads are the loads that the figure comes from. The largest value is shown.
	loads []string
	of    func(figures) float64
	// added is set if the figure of the direct peer in the same round is subtracted.
	added bool
	// total is set if the rounds are added up. Otherwise their median is shown.
	total bool
	// must is the required value. If auto is set, it replaces must for the auto peer.
	// aim is the desired value.
	must, auto, aim limit
}

// limit is the highest acceptable value of a column. The zero value is no limit.
type limit struct {
	// times is a multiple of ReverseProxy's figure in the same run. Ratios hold from
	// machine to machine, absolute figures do not.
	times float64
	// load, if set, makes times a multiple of the gateway's own figure under that load.
	load string
	// most is an absolute figure.
	most float64
}

func cpuOf(f figures) float64     { return f.CPU }
func p50Of(f figures) float64     { return f.P50 }
func p99Of(f figures) float64     { return f.P99 }
func firstOf(f figures) float64   { return f.First }
func rssOf(f figures) float64     { return f.RSS }
func rateOf(f figures) float64    { return f.Rate }
func foreignOf(f figures) float64 { return f.Foreign }
func failedOf(f figures) float64  { return float64(f.Failed) }

func othersOf(f figures) (sum float64) {
	for _, used := range f.Others {
		sum += used
	}
	return sum
}

// targetColumns returns the columns that have targets, and two without.
func targetColumns() []column {
	small := []string{traffic.LoadSteady, traffic.LoadPaced, traffic.LoadChat, traffic.LoadStream, traffic.LoadVector}
	return []column{
		{under: "chat 2 KB", name: "CPU us", loads: []string{traffic.LoadChat}, of: cpuOf, must: limit{times: 1.25}, auto: limit{times: 1.8}, aim: limit{times: 0.6}},
		{under: "at 200/s", name: "added p50", loads: []string{traffic.LoadSteady}, of: p50Of, added: true, must: limit{times: 1.3}, auto: limit{most: 550}, aim: limit{times: 0.8}},
		{under: "at 200/s", name: "added p99", loads: []string{traffic.LoadSteady}, of: p99Of, added: true, must: limit{times: 1.5}, aim: limit{times: 1}},
		{under: "chat 200 KB", name: "CPU us", loads: []string{traffic.LoadBig}, of: cpuOf, must: limit{times: 1.5}, aim: limit{times: 1.1}},
		{under: "chat 500 KB", name: "CPU us", loads: []string{traffic.Load500KB}, of: cpuOf, must: limit{times: 1.5}, aim: limit{times: 1.1}},
		{under: "chat 1 MB", name: "CPU us", loads: []string{traffic.Load1MB}, of: cpuOf, must: limit{times: 1.5}, aim: limit{times: 1.1}},
		{under: "50 events", name: "CPU us", loads: []string{traffic.LoadStream}, of: cpuOf, must: limit{times: 1.4}, aim: limit{times: 1}},
		{under: "at 20/s", name: "added TTFT", loads: []string{traffic.LoadPaced}, of: firstOf, added: true},
		{under: "embedding", name: "CPU us", loads: []string{traffic.LoadVector}, of: cpuOf, must: limit{times: 1.6}, aim: limit{times: 1.1}},
		{under: "embedding base64", name: "CPU us", loads: []string{traffic.LoadBase64}, of: cpuOf, must: limit{times: 1.6}, aim: limit{times: 1.1}},
		{under: "peak MiB", name: "small", loads: small, of: rssOf, must: limit{most: 64}, aim: limit{most: 48}},
		{under: "peak MiB", name: "200 KB", loads: []string{traffic.LoadBig}, of: rssOf, must: limit{most: 64}},
		{under: "peak MiB", name: "1 MB", loads: []string{traffic.Load500KB, traffic.Load1MB}, of: rssOf, must: limit{most: 64}},
	}
}

// agentColumns returns the CPU time of a coding agent's request in each protocol, if the
// upstream speaks the same protocol.
func agentColumns() (all []column) {
	for _, protocol := range []string{traffic.ProtocolChat, traffic.ProtocolMessages, traffic.ProtocolResponses, traffic.ProtocolGemini} {
		c := column{under: "agent 500 KB", name: protocol + " CPU us", loads: []string{traffic.LoadAgent + protocol}, of: cpuOf, must: limit{times: 1.5}}
		if protocol != traffic.ProtocolChat {
			c.must = limit{times: 1.3, load: traffic.LoadAgent + traffic.ProtocolChat}
		}
		all = append(all, c)
	}
	return all
}

// contextColumns returns the columns that help to interpret the figures.
func contextColumns() (all []column) {
	for _, l := range []string{traffic.LoadChat, traffic.LoadBig, traffic.LoadStream, traffic.LoadVector} {
		all = append(all,
			column{under: l, name: "responses/s", loads: []string{l}, of: rateOf},
			column{under: l, name: "others' CPU us", loads: []string{l}, of: othersOf})
	}
	var every []string
	for _, l := range traffic.Loads() {
		every = append(every, l.Name)
	}
	return append(all,
		column{under: "requests", name: "failed", loads: every, of: failedOf, total: true},
		column{under: "foreign", name: "CPU %", loads: every, of: foreignOf})
}

// columnValue returns the figure of a peer; false if it was not measured.
func (b *bench) columnValue(peer string, c column) (float64, bool) {
	values := b.columnRounds(peer, c)
	if len(values) == 0 {
		return 0, false
	}
	if c.total {
		return sum(values), true
	}
	return stats.Median(values), true
}

// columnRounds returns the figure of a peer in each round. Of several loads, it returns the
// rounds of the load with the highest median, or of all loads if the column is a total.
func (b *bench) columnRounds(peer string, c column) (values []float64) {
	for _, l := range c.loads {
		v := b.valuesPerRound(peer, l, c)
		switch {
		case c.total:
			values = append(values, v...)
		case len(v) > 0 && (len(values) == 0 || stats.Median(v) > stats.Median(values)):
			values = v
		}
	}
	return values
}

func (b *bench) valuesPerRound(peer, load string, c column) (values []float64) {
	direct := b.results[nameDirect][load]
	for round, f := range b.results[peer][load] {
		switch {
		case !c.added:
			values = append(values, c.of(f))
		case round < len(direct):
			values = append(values, c.of(f)-c.of(direct[round]))
		}
	}
	return values
}

// limitOf returns the limit that applies to a peer.
func (c column) limitOf(peer string) limit {
	if peer == nameAuto && c.auto != (limit{}) {
		return c.auto
	}
	return c.must
}

// ratios returns the figure of a peer in each round, divided by the figure that the limit
// refers to in the same round. A round that measured 0 has no ratio.
func (b *bench) ratios(peer string, c column, l limit) (all []float64) {
	base := b.columnRounds(nameForward, c)
	if l.load != "" {
		own := c
		own.loads = []string{l.load}
		base = b.columnRounds(nameExplicit, own)
	}
	for round, v := range b.columnRounds(peer, c) {
		if round < len(base) && base[round] > 0 {
			all = append(all, v/base[round])
		}
	}
	return all
}

func sum(values []float64) (all float64) {
	for _, v := range values {
		all += v
	}
	return all
}
