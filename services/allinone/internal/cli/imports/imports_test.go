package imports_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports"
	"github.com/signalbox/signalbox/services/router"
)

var update = flag.Bool("update", false, "write the expected policies and notes anew")

// importText runs a command on a text and returns what it prints.
func importText(t *testing.T, gateway, text string) (policy, notes string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	program := cli.Program{Sections: []cli.Section{{Commands: imports.Commands()}}}
	err = program.Dispatch(t.Context(), cli.Invocation{
		Args: []string{"import", gateway, "-"}, In: strings.NewReader(text), Out: &out, Err: &errs,
	})
	return out.String(), errs.String(), err
}

// Every configuration becomes a valid policy, and everything else is in the notes.
func TestImports(t *testing.T) {
	for file, gateway := range map[string]string{
		"litellm.yaml": "litellm", "portkey.json": "portkey", "portkey_conditional.json": "portkey",
		"portkey_integrations.json": "portkey",
	} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", file))
			require.NoError(t, err)
			policy, notes, err := importText(t, gateway, string(text))
			require.NoError(t, err, notes)
			checked, err := router.Validate([]byte(policy))
			require.NoError(t, err)
			require.Empty(t, checked.Problems)
			for _, secret := range []string{"sk-ant-secret", "sk-1234", "password", "secret-azure"} {
				require.NotContains(t, policy+notes, secret)
			}
			compareGolden(t, file+".policy", policy)
			compareGolden(t, file+".notes", notes)
		})
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// An address may contain credentials. The policy has the address without them.
func TestCredentialsInAddressesAreLeftOut(t *testing.T) {
	const address = "https://user:hidden1@llm.example.com/v1?key=hidden2#hidden3"
	for gateway, text := range map[string]string{
		"litellm": `model_list: [{model_name: a, litellm_params: {model: openai/a, api_base: "` + address + `", api_key: os.environ/A}}]`,
		"portkey": `{"provider": "openai", "custom_host": "` + address + `", "override_params": {"model": "a"}}`,
	} {
		policy, notes, err := importText(t, gateway, text)
		require.NotContains(t, policy+notes, "hidden")
		require.NoError(t, err, notes)
		require.Contains(t, policy, "base_url: https://llm.example.com/v1\n")
		require.Contains(t, notes, "llm.example.com is written without user")
	}
}

func TestOtherFilesAreRejected(t *testing.T) {
	for name, c := range map[string]struct{ gateway, text, want string }{
		"no model list":      {"litellm", "routes: {}", "not a LiteLLM configuration"},
		"empty":              {"litellm", "", "not a LiteLLM configuration"},
		"not YAML":           {"litellm", "model_list: [", "yaml"},
		"wrong type":         {"litellm", "model_list: 5", "cannot unmarshal"},
		"no model":           {"litellm", "model_list: [{model_name: a}]", "model_list[0]"},
		"YAML for Portkey":   {"portkey", "model_list: []", "not JSON"},
		"no targets":         {"portkey", "{}", "not a Portkey config"},
		"too large":          {"litellm", strings.Repeat("#", 5<<20), "larger than 4 MiB"},
		"nothing to convert": {"litellm", "model_list: [{model_name: a, litellm_params: {model: bedrock/x}}]", ""},
	} {
		_, notes, err := importText(t, c.gateway, c.text)
		if c.want == "" {
			require.Contains(t, notes, "not supported", name)
			continue
		}
		require.ErrorContains(t, err, c.want, name)
	}
}
