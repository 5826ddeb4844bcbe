//go:build agents

package agents

import (
	"fmt"
	"strings"
)

// coderCalls returns how many tool calls the vendors' models made.
func coderCalls(u *Upstreams) (n int) {
	for _, s := range u.Servers {
		for _, e := range s.Calls() {
			n += e.ToolCalls
		}
	}
	return n
}

// describeCalls lists the calls at the vendors, for the message of a failed run.
func describeCalls(u *Upstreams) string {
	var b strings.Builder
	for i, s := range u.Servers {
		for _, e := range s.Calls() {
			_, _ = fmt.Fprintf(&b, "%s %s %d, %d tool calls, %+v\n", u.Names[i], e.Path, e.Status, e.ToolCalls, e.Usage)
		}
	}
	return b.String()
}
