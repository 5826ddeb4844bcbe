// Command convert makes the catalog's models.json out of a reference table of
// prices and capabilities that was gathered from several public sources. It is
// run by hand when the table is renewed, and its result is read and committed:
//
//	go run ./pkg/catalog/cmd/convert -providers pkg/catalog/providers.json reference.json > pkg/catalog/models.json
//
// Rows that no adapter can serve are left out and listed on the error output,
// with what else wants a look. The same table gives the same bytes.
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
	providers := flag.String("providers", "providers.json", "the catalog's providers")
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
	if err := read(table, &ref); err != nil {
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
	text, err := write(sources(), models)
	if err != nil {
		return err
	}
	// What is written must be read: the loader's bounds hold here already.
	if _, err := catalog.Parse(known, text); err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

func read(path string, to any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
