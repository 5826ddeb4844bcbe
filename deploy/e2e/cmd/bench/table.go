package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// column is one figure of a table.
type column struct {
	head string
	// of takes the figure from a round, given what direct showed in it.
	of func(f, direct figures) float64
	// aims are what we hold ourselves to: must, must of auto where it differs,
	// and aim.
	aims [3]string
}

var (
	colRate    = column{head: "per s", of: func(f, _ figures) float64 { return f.rate }}
	colLater   = column{head: "of it later", of: func(f, _ figures) float64 { return f.later }}
	colP50     = column{head: "p50 us", of: func(f, _ figures) float64 { return f.p50 }}
	colP99     = column{head: "p99 us", of: func(f, _ figures) float64 { return f.p99 }}
	colFirst   = column{head: "first chunk p50 us", of: func(f, _ figures) float64 { return f.first }}
	colForeign = column{head: "foreign CPU %", of: func(f, _ figures) float64 { return f.foreign }}
)

func colCPU(must, auto, aim string) column {
	return column{"CPU us each", func(f, _ figures) float64 { return f.cpu }, [3]string{must, auto, aim}}
}

func colRSS(must, aim string) column {
	return column{"RSS MiB", func(f, _ figures) float64 { return f.rss }, [3]string{must, "", aim}}
}

func colAdded(what string, of func(figures) float64, must, auto, aim string) column {
	return column{"added " + what, func(f, direct figures) float64 { return of(f) - of(direct) }, [3]string{must, auto, aim}}
}

// columns of each load's table. A figure that nobody promised has no aim.
var columns = map[string][]column{
	"chat": {colRate, colCPU("120", "150", "50"), colLater, colP50, colP99, colRSS("64", "48"), colForeign},
	"steady": {
		colP50, colAdded("p50 us", func(f figures) float64 { return f.p50 }, "300", "450", "180"),
		colP99, colAdded("p99 us", func(f figures) float64 { return f.p99 }, "700", "", "300"),
		colCPU("", "", ""), colLater, colForeign,
	},
	"stream": {colRate, colCPU("220", "", "110"), colLater, colFirst, colRSS("64", "48"), colForeign},
	"paced": {
		colFirst, colAdded("first chunk p50 us", func(f figures) float64 { return f.first }, "400", "", "200"),
		colCPU("", "", ""), colLater, colForeign,
	},
	"big": {colRate, colCPU("450", "", "300"), colLater, colP99, colRSS("96", "64"), colForeign},
}

func (b *bench) printTables() {
	for _, l := range loads() {
		b.printf("\n%s\n", l.title)
		w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
		row := func(name string, cells []string) {
			fmt.Fprintf(w, "%-18s\t%s\t\n", name, strings.Join(cells, "\t"))
		}
		cols := columns[l.name]
		row("", heads(cols))
		for _, p := range b.peers() {
			row(p.name, b.cells(p.name, l.name, cols))
		}
		for i, name := range []string{"must", "must, for auto", "aim"} {
			if cells := aims(cols, i); strings.Join(cells, "") != "" {
				row(name, cells)
			}
		}
		_ = w.Flush()
	}
	b.printf("\nCPU of direct is the upstream's own; \"of it later\" is what a process did after the last answer.\n")
}

func heads(cols []column) []string {
	var all []string
	for _, c := range cols {
		all = append(all, c.head)
	}
	return all
}

func aims(cols []column, which int) []string {
	var all []string
	for _, c := range cols {
		text := c.aims[which]
		if text != "" {
			text = "<= " + text
		}
		all = append(all, text)
	}
	return all
}

func (b *bench) cells(peer, load string, cols []column) []string {
	var all []string
	for _, c := range cols {
		var values []float64
		for round, f := range b.results[peer][load] {
			values = append(values, c.of(f, b.results[nameDirect][load][round]))
		}
		all = append(all, thousands(median(values)))
	}
	return all
}

// thousands is the whole number, with a comma where people look for one.
func thousands(v float64) string {
	text := fmt.Sprintf("%.0f", v)
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return sign + text
}
