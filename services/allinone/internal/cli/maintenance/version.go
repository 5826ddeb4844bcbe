package maintenance

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// versionReport is what the command version prints.
type versionReport struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"commit_time,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Modules lists the libraries in the binary.
	Modules []moduleReport `json:"modules"`
	Stores  []storeReport  `json:"stores"`
	// Previous is the commit that the command downgrade prepares the stores for.
	Previous string `json:"downgrade_to"`
}

type moduleReport struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	// Sum is the checksum of the module, as in go.sum.
	Sum string `json:"sum,omitempty"`
}

type storeReport struct {
	Service  string `json:"service"`
	Schema   int    `json:"schema"`
	Previous int    `json:"downgrade_to"`
}

func printVersion(_ context.Context, c cli.Invocation) error {
	var asJSON bool
	set := config.New()
	set.FlagsOnly(true)
	set.Bool(&asJSON, "json", false, "print JSON, with the version and checksum of every library")
	if err := set.Load(c.Args, nil); err != nil {
		return err
	}
	r, err := describeBuild(c)
	if err != nil {
		return err
	}
	return c.PrintResult(asJSON, r, r.rows()...)
}

func describeBuild(c cli.Invocation) (*versionReport, error) {
	stores, err := allinone.Stores()
	if err != nil {
		return nil, err
	}
	r := &versionReport{
		Version: c.Version, Commit: c.Commit, Time: c.CommitTime, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Modules: linkedModules(), Previous: allinone.PreviousCommit,
	}
	for _, s := range stores {
		r.Stores = append(r.Stores, storeReport{s.Service, s.Schema, s.Previous})
	}
	return r, nil
}

// linkedModules returns the libraries in the binary, without the modules of Signalbox itself.
func linkedModules() []moduleReport {
	all := []moduleReport{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return all
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Sum != "" {
			all = append(all, moduleReport{m.Path, m.Version, m.Sum})
		}
	}
	return all
}

func (r *versionReport) rows() [][]string {
	var now, before []string
	for _, s := range r.Stores {
		now = append(now, fmt.Sprint(s.Service, " ", s.Schema))
		before = append(before, fmt.Sprint(s.Service, " ", s.Previous))
	}
	rows := [][]string{{"signalbox " + r.Version}}
	if r.Commit != "" {
		rows = append(rows, []string{"commit", r.Commit + ", " + r.Time})
	}
	return append(rows,
		[]string{"built with", r.Go + " for " + r.Platform},
		[]string{"libraries", fmt.Sprint(len(r.Modules), ", listed by --json")},
		[]string{"schemas", strings.Join(now, ", ")},
		[]string{"downgrade to", r.Previous[:12] + ": " + strings.Join(before, ", ")},
	)
}
