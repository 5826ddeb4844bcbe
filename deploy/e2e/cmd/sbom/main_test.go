package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// printBill returns the bill of this test's own binary.
func printBill(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, run([]string{"-version", "v1", "-time", "2026-11-17T00:00:00Z", "-lock", "../../../../services/dashboard/ui/package-lock.json", self}, &out))
	return out.String()
}

func TestBillListsModulesAndPackages(t *testing.T) {
	bill := printBill(t)
	require.Equal(t, bill, printBill(t), "the same binary gives the same bytes")
	for _, part := range []string{`"pkg:golang/github.com/CycloneDX/cyclonedx-go@v`, `"pkg:golang/std@1.`, `"pkg:npm/preact@`, `"pkg:npm/%40preact/signals-core@`} {
		require.Contains(t, bill, part)
	}
	require.NotContains(t, bill, "pkg:npm/esbuild")
}

// The schema of CycloneDX is part of its module.
func TestBillMatchesTheSchema(t *testing.T) {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	const base = "http://cyclonedx.org/schema/"
	// The module has one of the files under another name than the references to it.
	for name, file := range map[string]string{"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json"} {
		text, err := os.Open(filepath.Join(strings.TrimSpace(string(dir)), "schema", file))
		require.NoError(t, err)
		doc, err := jsonschema.UnmarshalJSON(text)
		require.NoError(t, err)
		require.NoError(t, text.Close())
		require.NoError(t, compiler.AddResource(base+name, doc))
	}
	schema, err := compiler.Compile(base + "bom-1.6.schema.json")
	require.NoError(t, err)
	bill := printBill(t)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bill))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(doc))
	broken, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(bill, `"type": "library"`, `"type": "nonsense"`, 1)))
	require.NoError(t, err)
	require.Error(t, schema.Validate(broken))
}
