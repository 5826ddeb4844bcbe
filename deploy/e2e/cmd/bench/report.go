package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// report prints the table and everything that casts doubt on it.
func (b *bench) report(lasted time.Duration) error {
	b.printTable(promises())
	b.printTable(circumstances())
	b.printf("\nMedians of %d rounds, %.0f s in all, %s shape. CPU is user and system time of the peer's process and its children, an answer;\n"+
		"of direct it is the upstream's own. Others are the processes that work for the peer. Added is to direct, in the same round.\n",
		b.rounds, lasted.Seconds(), b.shape())
	if b.profiles {
		b.printf("While a profile was taken: the figures hold its cost.\n")
	}
	if b.unquiet != nil {
		b.printf("Without SCHED_RR, so that added times hold what else ran: %v\n", b.unquiet)
	}
	path := filepath.Join(b.bin, "bench-"+b.shape()+".json")
	if err := b.writeJSON(path); err != nil {
		return err
	}
	b.printf("Every figure of every round: %s\n", path)
	for _, p := range b.problems {
		b.printf("problem: %s\n", p)
	}
	if len(b.problems) > 0 {
		return errUnsound
	}
	return nil
}

// roundJSON is a load's figures of one round. Times are in microseconds.
type roundJSON struct {
	Answers   int                `json:"answers"`
	Failed    int                `json:"failed"`
	PerSecond float64            `json:"per_second"`
	CPU       float64            `json:"cpu_us"`
	CPULater  float64            `json:"cpu_later_us"`
	Others    map[string]float64 `json:"others_cpu_us,omitempty"`
	P50       float64            `json:"p50_us"`
	P99       float64            `json:"p99_us"`
	TTFT      float64            `json:"ttft_p50_us"`
	RSS       float64            `json:"rss_peak_mib"`
	Foreign   float64            `json:"foreign_cpu_percent"`
}

// promiseJSON is a cell of the table. Met is null where nothing was promised.
type promiseJSON struct {
	Peer   string  `json:"peer"`
	Figure string  `json:"figure"`
	Value  float64 `json:"value"`
	Must   float64 `json:"must,omitempty"`
	Met    *bool   `json:"met"`
}

func (b *bench) shape() string {
	if b.split != "" {
		return "split"
	}
	return "allinone"
}

func (b *bench) writeJSON(path string) error {
	text, err := json.MarshalIndent(map[string]any{
		"shape": b.shape(), "rounds": b.rounds, "realtime": b.unquiet == nil,
		"table": b.promisesJSON(), "results": b.resultsJSON(), "problems": b.problems,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o600)
}

func (b *bench) promisesJSON() []promiseJSON {
	var all []promiseJSON
	for _, p := range b.peers {
		for _, c := range promises() {
			v, ok := b.value(p.name, c)
			if !ok {
				continue
			}
			one := promiseJSON{Peer: p.name, Figure: c.under + ", " + c.name, Value: v}
			if limit := c.limit(p.name); p.ours && limit > 0 {
				one.Must, one.Met = limit, new(v <= limit)
			}
			all = append(all, one)
		}
	}
	return all
}

func (b *bench) resultsJSON() map[string]map[string][]roundJSON {
	all := map[string]map[string][]roundJSON{}
	for peer, loads := range b.results {
		all[peer] = map[string][]roundJSON{}
		for load, rounds := range loads {
			for _, f := range rounds {
				all[peer][load] = append(all[peer][load], roundJSON{
					Answers: len(f.outcome.took), Failed: f.outcome.failed, PerSecond: f.rate,
					CPU: f.cpu, CPULater: f.later, Others: f.others,
					P50: f.p50, P99: f.p99, TTFT: f.first, RSS: f.rss, Foreign: f.foreign,
				})
			}
		}
	}
	return all
}
