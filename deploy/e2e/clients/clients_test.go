// Package clients checks that clients of the wire format work unmodified. It runs the
// common libraries of three languages, each configured with only a base URL and a key,
// against a gateway with a scripted upstream. Each library runs the same cases and
// reports what its user would see; the tables here hold the expected results. Wire rules
// that no library checks are tested elsewhere, byte by byte.
package clients

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
)

func TestMain(m *testing.M) {
	e2e.SetParallel(4)
	os.Exit(e2e.Main(m))
}

// library is a client library: how to run it, and how it differs from the others.
type library struct {
	name string
	// run runs the cases and returns the results.
	run func(t *testing.T, j job) []observation
	// kinds are the kinds of cases that the library supports.
	kinds []string
	// hides lists fields that the library does not show, by kind of case; "" means all.
	hides map[string][]string
	// fewerCases lists cases that the library cannot run against any server.
	fewerCases []string
	// fails says how the library shows failures.
	fails failureStyle
	// sdk is set for the SDKs of vendors.
	sdk *sdk
}

var libraries = []library{openaiNode, openaiNode5, aiSDK, langchainNode, llamaindexNode, openaiGo, openaiGo1, goOpenAI, openaiPython, langchainPython, llamaindexPython}

func TestClients(t *testing.T) {
	t.Parallel()
	gw := newGateway(t, e2e.Start)
	// A gateway that sends keep-alive lines after a short silence.
	restless := newGateway(t, e2e.Start, "--keepalive-after", "50ms", "--keepalive-every", "20ms")
	for _, lib := range libraries {
		t.Run(lib.name, func(t *testing.T) {
			t.Parallel()
			runLibrary(t, lib, gw, restless)
		})
	}
}

// Clients see the same behaviour in both deployments.
func TestClientsOfTheSplitShape(t *testing.T) {
	t.Parallel()
	gw := newGateway(t, e2e.StartSplit)
	runLibrary(t, openaiNode, gw, nil)
}

// runLibrary runs all cases of a library concurrently and checks each result. It skips the
// restless cases if restless is nil.
func runLibrary(t *testing.T, lib library, gw, restless *gateway) {
	mine := slices.DeleteFunc(slices.Clone(cases), func(c testCase) bool {
		return !slices.Contains(lib.kinds, c.kind) || slices.Contains(lib.fewerCases, c.name) || c.restless && restless == nil
	})
	at := func(c testCase) *gateway { return c.at(gw, restless) }
	runCases(t, lib, mine, at, func(t *testing.T, c testCase, got observation) {
		if c.want.Error == nil {
			require.Equal(t, lib.shown(c), got.maskID())
		} else {
			lib.fails.check(t, c, got)
		}
	})
}

// runCases runs the cases concurrently and checks each result and the number of calls.
func runCases(t *testing.T, lib library, mine []testCase, at func(testCase) *gateway, check func(*testing.T, testCase, observation)) {
	var j job
	for _, c := range mine {
		j.Cases = append(j.Cases, at(c).ask(lib, c))
	}
	seen := map[string]observation{}
	for _, s := range lib.run(t, j) {
		seen[s.Case] = s
	}
	for _, c := range mine {
		t.Run(c.name, func(t *testing.T) {
			got, ok := seen[c.name]
			require.True(t, ok, "the client did not finish this case")
			check(t, c, got)
			at(c).checkCallCount(t, lib, c)
		})
	}
}

// checkCallCount checks the number of calls that the library made.
func (g *gateway) checkCallCount(t *testing.T, lib library, c testCase) {
	if !c.counted() {
		return
	}
	want := 1
	switch {
	case c.want.Error != nil:
		want = lib.fails.calls(c)
	case c.Again:
		want = 2
	}
	got := func() int { return g.tap.calls(marker(lib.name, c.name)) }
	// A call that was rejected immediately may still be on its way through the tap.
	require.Eventually(t, func() bool { return got() >= want }, 5*time.Second, time.Millisecond, "fewer than %d calls", want)
	require.Equal(t, want, got(), "calls of the client")
}

// shown returns the part of the expected result that the library shows.
func (l library) shown(c testCase) observation {
	want := c.want
	want.Case = c.name
	want.hide(l.hides[""])
	want.hide(l.hides[c.kind])
	return want
}
