package policy_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
)

// For any input, Compile returns problems or a policy whose canonical form decodes.
func FuzzCompile(f *testing.F) {
	full, err := os.ReadFile("testdata/full.yaml")
	require.NoError(f, err)
	cat := load(f)
	f.Add(full)
	rules, err := os.ReadFile("testdata/rules.yaml")
	require.NoError(f, err)
	f.Add(rules)
	f.Add(policy.Default(func(string) bool { return false }, cat, today))
	f.Add([]byte("version: 1\nmodels: {sandbox-small: }\nroutes: [a"))
	f.Add([]byte("a: |\n  b\n? c\n: d\n- e"))
	f.Fuzz(func(t *testing.T, document []byte) {
		p, err := policy.Compile(document, cat)
		if err != nil {
			var ps policy.Problems
			require.ErrorAs(t, err, &ps)
			require.NotEmpty(t, ps)
			return
		}
		q, err := policy.Decode(p.Canonical())
		require.NoError(t, err)
		require.Equal(t, p.Version(), q.Version())
	})
}
