// Package clients proves that clients of the wire format work unmodified: the
// libraries people use, in three languages, each given nothing but a base URL
// and a key. A scripted upstream behaves well or badly; each library does the
// same cases and tells what its user would have seen; the tables here say what
// that has to be. Rules of the wire that no library looks at are proved
// elsewhere, byte by byte.
package clients

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
)

func TestMain(m *testing.M) { os.Exit(e2e.Main(m)) }

// library is a client library: how it is run, and in what it differs from
// the others.
type library struct {
	name string
	// run does the cases and tells what was seen.
	run func(t *testing.T, j job) []sight
	// kinds are those of the cases it has a call for.
	kinds []string
	// hides has what its users are not shown, by kind of case; "" is for all.
	hides map[string][]string
	// fails says how it shows failures.
	fails manners
}

var libraries = []library{openaiNode, openaiNode5, aiSDK, langchainNode, llamaindexNode, openaiGo, openaiGo1, goOpenAI, openaiPython, langchainPython, llamaindexPython}

func TestClients(t *testing.T) {
	t.Parallel()
	gw := newGateway(t, e2e.Start)
	// A gateway that cannot bear silence.
	restless := newGateway(t, e2e.Start, "--keepalive-after", "50ms", "--keepalive-every", "20ms")
	for _, lib := range libraries {
		t.Run(lib.name, func(t *testing.T) {
			t.Parallel()
			try(t, lib, gw, restless)
		})
	}
}

// An account holder cannot tell the shapes apart.
func TestClientsOfTheSplitShape(t *testing.T) {
	t.Parallel()
	gw := newGateway(t, e2e.StartSplit)
	try(t, openaiNode, gw, nil)
}

// try runs all cases of a library at once and judges each. Without a restless
// gateway its cases are left out.
func try(t *testing.T, lib library, gw, restless *gateway) {
	mine := slices.DeleteFunc(slices.Clone(cases), func(c testCase) bool {
		return !slices.Contains(lib.kinds, c.kind) || c.restless && restless == nil
	})
	var j job
	for _, c := range mine {
		j.Cases = append(j.Cases, c.at(gw, restless).ask(lib, c))
	}
	seen := map[string]sight{}
	for _, s := range lib.run(t, j) {
		seen[s.Case] = s
	}
	for _, c := range mine {
		t.Run(c.name, func(t *testing.T) {
			got, ok := seen[c.name]
			require.True(t, ok, "the client did not finish this case")
			if c.want.Error == nil {
				require.Equal(t, lib.shown(c), got)
			} else {
				lib.fails.check(t, c, got)
			}
			c.at(gw, restless).count(t, lib, c)
		})
	}
}

// count checks how often the library has called.
func (g *gateway) count(t *testing.T, lib library, c testCase) {
	if !c.counted() {
		return
	}
	want := 1
	if c.want.Error != nil {
		want = lib.fails.calls(c)
	}
	got := func() int { return g.tap.calls(marker(lib.name, c.name)) }
	// A call that was refused at once may still be on its way through the tap.
	require.Eventually(t, func() bool { return got() >= want }, 5*time.Second, time.Millisecond, "fewer than %d calls", want)
	require.Equal(t, want, got(), "calls of the client")
}

// shown is what users of the library see of what there is to see.
func (l library) shown(c testCase) sight {
	want := c.want
	want.Case = c.name
	want.hide(l.hides[""])
	want.hide(l.hides[c.kind])
	return want
}
