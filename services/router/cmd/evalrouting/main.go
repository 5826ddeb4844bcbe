// Command evalrouting measures the embedded weights on a folder with prompts and outcomes.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/training"
)

func main() {
	data := flag.String("data", "", "folder with prompts and outcomes")
	out := flag.String("out", "", "folder that gets a file of scores per task; empty writes none")
	flag.Parse()
	if err := run(*data, *out); err != nil {
		fmt.Fprintln(os.Stderr, "evalrouting:", err)
		os.Exit(1)
	}
}

func run(data, out string) error {
	cat, err := catalog.Load()
	if err != nil {
		return err
	}
	p, err := predict.Load()
	if err != nil {
		return err
	}
	return training.Evaluate(data, out, p, cat, os.Stdout)
}
