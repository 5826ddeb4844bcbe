// Command trainrouting learns the weights that predict the quality of models, and prints how
// good they are.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/training"
)

func main() {
	data := flag.String("data", "", "folder with the training data")
	out := flag.String("out", "", "file that gets the weights; empty only prints the validation")
	subjects := flag.String("subjects", "", "file that gets the classifier of subjects; empty writes none")
	flag.Parse()
	if err := run(*data, *out, *subjects); err != nil {
		fmt.Fprintln(os.Stderr, "trainrouting:", err)
		os.Exit(1)
	}
}

func run(data, out, subjects string) error {
	cat, err := catalog.Load()
	if err != nil {
		return err
	}
	lab, err := training.Open(data, cat)
	if err != nil {
		return err
	}
	start := time.Now()
	tasks, calibrations := lab.CrossValidate(func(fold int) {
		fmt.Fprintf(os.Stderr, "part %d of %d validated after %.0f s\n", fold+1, training.Folds, time.Since(start).Seconds())
	})
	training.Print(os.Stdout, "Cross-validation", tasks)
	training.PrintCalibration(os.Stdout, calibrations)
	training.Print(os.Stdout, "Without the collection of the prompts", lab.LeaveOneOut())
	weights := lab.Train()
	trained := predict.FromWeights(weights, "new")
	lab.PrintRobustness(os.Stdout, trained, cat)
	lab.PrintOpenEnded(os.Stdout, trained)
	if err := lab.PrintDial(os.Stdout, data); err != nil {
		return err
	}
	lab.PrintSubjects(os.Stdout)
	return errors.Join(write(out, weights), write(subjects, lab.TrainSubjects()))
}

// write writes weights to a file. Without a path it does nothing.
func write(path string, weights interface{ Encode() ([]byte, error) }) error {
	if path == "" {
		return nil
	}
	file, err := weights.Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(path, file, 0o644) //nolint:gosec // not secret
}
