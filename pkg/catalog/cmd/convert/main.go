// Command convert creates the catalog's models.json from a reference table. The table lists prices
// and capabilities from several public sources. Run the command manually when the table changes,
// and review and commit its result:
//
//	go run ./pkg/catalog/cmd/convert -providers pkg/catalog/providers.json reference.json > pkg/catalog/models.json
//
// It skips rows that no adapter can serve, and prints them with other notes to standard error.
// The same table always produces the same output.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func main() {
	providers := flag.String("providers", "providers.json", "`file` with the catalog's providers")
	flag.Parse()
	if err := run(*providers, flag.Arg(0), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "convert:", err)
		os.Exit(1)
	}
}

func run(providers, table string, out, notes io.Writer) error {
	known, err := os.ReadFile(providers)
	if err != nil {
		return err
	}
	var ref reference
	if err := readJSON(table, &ref); err != nil {
		return err
	}
	c := &converter{notes: notes, sources: sourceDates()}
	if err := json.Unmarshal(known, &c.providers); err != nil {
		return fmt.Errorf("%s: %w", providers, err)
	}
	models, err := c.convert(ref.Models)
	if err != nil {
		return err
	}
	text, err := encodeModels(sources(), models)
	if err != nil {
		return err
	}
	if _, err := catalog.Parse(known, text); err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

func readJSON(path string, to any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
