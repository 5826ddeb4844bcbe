package compare

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// report prints the tables, and notes on everything that makes them less reliable.
func (b *bench) report(lasted time.Duration) error {
	b.printTargets()
	b.printTail()
	b.printTable(contextColumns())
	b.printf("\nMedians of %d rounds, %.0f s in total, %s deployment. Ratio is the median of each round's multiple of ReverseProxy. CPU is the user and system time per response of the peer's process and its children;\n"+
		"for direct it is the time of the upstream. Others are the processes that work for the peer. Added is the difference to direct in the same round.\n",
		b.rounds, lasted.Seconds(), b.deploymentName())
	if b.profiles {
		b.printf("Profiling was on; its cost is part of the figures.\n")
	}
	if b.priorityErr != nil {
		b.printf("SCHED_RR is not available, so added times include delays by other processes: %v\n", b.priorityErr)
	}
	path := filepath.Join(b.bin, "bench-"+b.deploymentName()+".json")
	if err := b.writeJSON(path); err != nil {
		return err
	}
	b.printf("All figures of all rounds: %s\n", path)
	for _, p := range b.problems {
		b.printf("problem: %s\n", p)
	}
	if len(b.problems) > 0 {
		return errInvalidFigures
	}
	return nil
}

func (b *bench) deploymentName() string {
	if b.split != "" {
		return "split"
	}
	return "allinone"
}

func (b *bench) writeJSON(path string) error {
	text, err := json.MarshalIndent(map[string]any{
		"shape": b.deploymentName(), "rounds": b.rounds, "realtime": b.priorityErr == nil,
		"table": b.targetRows(), "results": b.results, "problems": b.problems,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o600)
}
