// Command evalrobustness prints how many decisions of the embedded weights stay the same when
// the texts of a folder are edited without a change of their meaning.
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
	data := flag.String("data", "", "folder with the training data")
	flag.Parse()
	if err := run(*data); err != nil {
		fmt.Fprintln(os.Stderr, "evalrobustness:", err)
		os.Exit(1)
	}
}

func run(data string) error {
	cat, err := catalog.Load()
	if err != nil {
		return err
	}
	p, err := predict.Load()
	if err != nil {
		return err
	}
	lab, err := training.Open(data, cat)
	if err != nil {
		return err
	}
	lab.PrintRobustness(os.Stdout, p, cat)
	return nil
}
