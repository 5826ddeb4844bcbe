// Command learningcurve measures how much better a router chooses after it has learned from
// the outcomes of its own installation. It runs real routers and reports outcomes over gRPC.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/training"
)

func main() {
	data := flag.String("data", "", "folder with prompts and outcomes")
	flag.Parse()
	if err := run(*data); err != nil {
		fmt.Fprintln(os.Stderr, "learningcurve:", err)
		os.Exit(1)
	}
}

// steps holds the numbers of outcomes by task.
func steps() map[string][]int {
	return map[string][]int{"mmlupro_gemini": {0, 300, 1000, 3000}, "mmlupro_llama": {0, 300, 1000, 3000}, "mmlu": {0, 300, 1000}}
}

func run(data string) error {
	cat, err := catalog.Load()
	if err != nil {
		return err
	}
	lab, err := training.Open(data, cat)
	if err != nil {
		return err
	}
	begin := time.Now()
	start := func(pair training.Pair, w enrich.Weights) (training.Installation, error) {
		return newInstallation(pair, w)
	}
	curves, err := lab.LearningCurve(steps(), start, func(fold int) {
		fmt.Fprintf(os.Stderr, "part %d of %d measured after %.0f s\n", fold+1, training.Folds, time.Since(begin).Seconds())
	})
	if err != nil {
		return err
	}
	training.PrintCurves(os.Stdout, curves)
	return nil
}
