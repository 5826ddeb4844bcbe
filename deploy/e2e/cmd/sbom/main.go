// Command sbom prints the bill of materials of built binaries as CycloneDX JSON: the Go modules
// that are linked into them, and the npm packages of the dashboard's pages. The same binaries give
// the same bytes.
package main

import (
	"debug/buildinfo"
	"flag"
	"fmt"
	"io"
	"os"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("sbom", flag.ContinueOnError)
	version := flags.String("version", "", "version of the release")
	time := flags.String("time", "", "time of the release, in RFC 3339")
	lock := flags.String("lock", "services/dashboard/ui/package-lock.json", "lockfile of the dashboard's pages")
	if err := flags.Parse(args); err != nil {
		return err
	}
	parts := newComponents()
	for _, path := range flags.Args() {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		if err := parts.addModules(info); err != nil {
			return err
		}
	}
	if err := parts.addPackages(*lock); err != nil {
		return err
	}
	bom := cdx.NewBOM()
	product := cdx.Component{BOMRef: "signalbox", Type: cdx.ComponentTypeApplication, Name: "signalbox", Version: *version}
	bom.Metadata = &cdx.Metadata{Timestamp: *time, Component: &product}
	all := parts.sorted()
	bom.Components = &all
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).Encode(bom)
}
