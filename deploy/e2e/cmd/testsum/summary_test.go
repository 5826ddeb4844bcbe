package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		green  bool
		want   string
	}{
		{
			name: "passing is silent",
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}`,
				`{"Action":"pass","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Output":"ok p 0.1s\n"}`,
				`{"Action":"pass","Package":"p"}`,
			},
			green: true,
			want:  "tests: 0:00; 1 passed, 0 failed, 0 skipped\n",
		},
		{
			name: "a failed test shows its output, its package is not counted again",
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"want 1, got 2\n"}`,
				`{"Action":"fail","Package":"p","Test":"TestA"}`,
				`{"Action":"pass","Package":"p","Test":"TestB"}`,
				`{"Action":"output","Package":"p","Output":"FAIL\n"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			want: "FAILED: p TestA\n\n== p TestA\nwant 1, got 2\ntests: 0:00; 1 passed, 1 failed, 0 skipped\n",
		},
		{
			name: "a package that does not build is a failure",
			events: []string{
				`{"Action":"build-output","ImportPath":"p [p.test]","Output":"a.go:1: undefined: x\n"}`,
				`{"Action":"build-fail","ImportPath":"p [p.test]"}`,
				`{"Action":"output","Package":"p","Output":"FAIL p [build failed]\n"}`,
				`{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`,
			},
			want: "FAILED: p\n\n== p [p.test]\na.go:1: undefined: x\n\n== p\nFAIL p [build failed]\ntests: 0:00; 0 passed, 1 failed, 0 skipped\n",
		},
		{
			name: "a package that died shows the test it died in",
			events: []string{
				`{"Action":"run","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"fatal error\n"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			want: "FAILED: p\n\n== p TestA\nfatal error\ntests: 0:00; 0 passed, 1 failed, 0 skipped\n",
		},
		{
			name: "a package may fail a test and then die in another",
			events: []string{
				`{"Action":"fail","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Test":"TestB","Output":"fatal error\n"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			want: "FAILED: p TestA\nFAILED: p\n\n== p TestB\nfatal error\ntests: 0:00; 0 passed, 2 failed, 0 skipped\n",
		},
		{
			name:   "a skipped test is named",
			events: []string{`{"Action":"pass","Package":"p","Test":"TestA"}`, `{"Action":"skip","Package":"p","Test":"TestB"}`},
			green:  true,
			want:   "skipped: p TestB\ntests: 0:00; 1 passed, 0 failed, 1 skipped\n",
		},
		{
			name:   "text of the go command is passed on, and nothing run is not green",
			events: []string{`go: no such module`},
			want:   "go: no such module\ntests: 0:00; 0 passed, 0 failed, 0 skipped\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			s := newSummary(&out, 0, func() time.Time { return time.Time{} })
			require.NoError(t, s.readEvents(strings.NewReader(strings.Join(c.events, "\n")+"\n")))
			s.printResult()
			require.Equal(t, c.want, out.String())
			require.Equal(t, c.green, s.succeeded())
		})
	}
}

func TestProgressNamesRunningPackages(t *testing.T) {
	now := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	var out strings.Builder
	s := newSummary(&out, 3, func() time.Time { return now })
	read := func(line string) { require.NoError(t, s.readEvents(strings.NewReader(line+"\n"))) }
	read(`{"Action":"start","Package":"github.com/signalbox/signalbox/pkg/a"}`)
	now = now.Add(20 * time.Second)
	read(`{"Action":"start","Package":"github.com/signalbox/signalbox/pkg/b"}`)
	now = now.Add(50 * time.Second)
	s.printProgress()
	read(`{"Action":"pass","Package":"github.com/signalbox/signalbox/pkg/a","Test":"TestA"}`)
	read(`{"Action":"pass","Package":"github.com/signalbox/signalbox/pkg/a"}`)
	s.printProgress()
	s.printResult()
	require.Equal(t, `[1:10] 0 of 3 packages done, 0 tests passed, 0 failed; running: pkg/a (70 s), pkg/b (50 s)
[1:10] 1 of 3 packages done, 1 tests passed, 0 failed; running: pkg/b (50 s)
   70 s  pkg/a
2 packages did not finish
tests: 1:10; 1 passed, 0 failed, 0 skipped
`, out.String())
	require.False(t, s.succeeded(), "a go command may have died")
}
