package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

const (
	// maxRunning is how many running packages a progress line names.
	maxRunning = 4
	// maxSlowest is how many packages the list of the slowest has.
	maxSlowest = 12
	// minSlow is the shortest time for which a package is listed as slow.
	minSlow = 5 * time.Second
)

// progress tracks which packages run and how long the finished ones took.
type progress struct {
	total   int // 0 if unknown
	started time.Time
	running map[string]time.Time
	done    []duration
}

// duration is how long a package took.
type duration struct {
	pkg  string
	took time.Duration
}

func (p *progress) startPackage(pkg string, now time.Time) { p.running[pkg] = now }

func (p *progress) finishPackage(pkg string, now time.Time) {
	took := time.Duration(0)
	if started, ok := p.running[pkg]; ok {
		took = now.Sub(started)
	}
	delete(p.running, pkg)
	p.done = append(p.done, duration{pkg, took})
}

// missing is how many packages have not finished.
func (p *progress) missing() int { return max(p.total-len(p.done), 0) }

// describe returns one line, for example
// "[2:10] 61 of 142 packages done, 3120 tests passed, 0 failed; running: deploy/e2e/browser (95 s)".
func (p *progress) describe(now time.Time, passed, failed int) string {
	count := fmt.Sprint(len(p.done))
	if p.total > 0 {
		count = fmt.Sprintf("%d of %d", len(p.done), p.total)
	}
	line := fmt.Sprintf("[%s] %s packages done, %d tests passed, %d failed", formatElapsed(now.Sub(p.started)), count, passed, failed)
	var running []duration
	for pkg, started := range p.running {
		running = append(running, duration{pkg, now.Sub(started)})
	}
	sortByDuration(running)
	var names []string
	for _, r := range running[:min(len(running), maxRunning)] {
		names = append(names, fmt.Sprintf("%s (%.0f s)", shortPackage(r.pkg), r.took.Seconds()))
	}
	if len(names) > 0 {
		line += "; running: " + strings.Join(names, ", ")
	}
	return line
}

// printSlowest lists the packages that took longest.
func (p *progress) printSlowest(out io.Writer) {
	sortByDuration(p.done)
	for _, d := range p.done[:min(len(p.done), maxSlowest)] {
		if d.took >= minSlow {
			fmt.Fprintf(out, "%5.0f s  %s\n", d.took.Seconds(), shortPackage(d.pkg))
		}
	}
}

func sortByDuration(all []duration) {
	slices.SortFunc(all, func(a, b duration) int { return cmp.Or(cmp.Compare(b.took, a.took), cmp.Compare(a.pkg, b.pkg)) })
}

// shortPackage removes the module prefix.
func shortPackage(pkg string) string {
	return strings.TrimPrefix(pkg, "github.com/signalbox/signalbox/")
}

func formatElapsed(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}
