package e2e

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const chartData = "../helm/testdata"

// manifest is what the checks need of a Kubernetes object.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Template    struct{ Spec podSpec }
		JobTemplate struct {
			Spec struct{ Template struct{ Spec podSpec } }
		} `yaml:"jobTemplate"`
		podSpec `yaml:",inline"`
	}
}

type podSpec struct {
	Grace      int   `yaml:"terminationGracePeriodSeconds"`
	MountToken *bool `yaml:"automountServiceAccountToken"`
	Security   struct {
		NonRoot bool `yaml:"runAsNonRoot"`
	} `yaml:"securityContext"`
	Containers []container
}

type container struct {
	Name, Image string
	Env         []struct{ Name, Value string }
	Liveness    map[string]any `yaml:"livenessProbe"`
	Readiness   map[string]any `yaml:"readinessProbe"`
	Resources   struct{ Requests, Limits map[string]string }
	Security    struct {
		ReadOnly     bool  `yaml:"readOnlyRootFilesystem"`
		Escalation   *bool `yaml:"allowPrivilegeEscalation"`
		Capabilities struct{ Drop []string }
	} `yaml:"securityContext"`
}

// pod returns the pod of an object, or false if it has none.
func (m *manifest) pod() (podSpec, bool) {
	for _, p := range []podSpec{m.Spec.podSpec, m.Spec.Template.Spec, m.Spec.JobTemplate.Spec.Template.Spec} {
		if len(p.Containers) > 0 {
			return p, true
		}
	}
	return podSpec{}, false
}

func readManifests(t *testing.T, file string) (all []manifest) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var m manifest
		err := d.Decode(&m)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, m)
	}
}

// The committed manifests are those of the chart. make chart checks them with Helm itself.
func TestChartManifestsAreCurrent(t *testing.T) {
	t.Parallel()
	for _, values := range chartValues(t) {
		golden, err := os.ReadFile(strings.Replace(values, ".values.", ".golden.", 1))
		require.NoError(t, err)
		first, _, _ := strings.Cut(string(golden), "\n")
		hash, err := exec.CommandContext(t.Context(), "../scripts/chart-fingerprint", strings.Replace(values, "..", "deploy", 1)).Output()
		require.NoError(t, err)
		require.Contains(t, first, strings.TrimSpace(string(hash)), "run make chart UPDATE=1")
	}
}

func chartValues(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(chartData + "/*.values.yaml")
	require.NoError(t, err)
	require.Len(t, all, 3)
	return all
}

// Every pod of the chart meets the restricted Pod Security Standard, and every setting exists.
func TestChartPodsAreRestricted(t *testing.T) {
	t.Parallel()
	settings, err := os.ReadFile("../../docs/reference/settings.md")
	require.NoError(t, err)
	for _, values := range chartValues(t) {
		pods := 0
		for _, m := range readManifests(t, strings.Replace(values, ".values.", ".golden.", 1)) {
			pod, ok := m.pod()
			if !ok {
				continue
			}
			pods++
			require.True(t, pod.Security.NonRoot, m.Metadata.Name)
			require.False(t, *pod.MountToken, m.Metadata.Name)
			for _, c := range pod.Containers {
				requireRestricted(t, m.Kind, c)
				for _, e := range c.Env {
					if strings.HasPrefix(e.Name, "SIGNALBOX_") {
						require.Contains(t, string(settings), "`"+e.Name+"`", c.Name)
					}
				}
			}
		}
		require.Equal(t, 7, pods, "four services, bootstrap and two tests")
	}
}

func requireRestricted(t *testing.T, kind string, c container) {
	t.Helper()
	require.True(t, c.Security.ReadOnly, c.Name)
	require.False(t, *c.Security.Escalation, c.Name)
	require.Equal(t, []string{"ALL"}, c.Security.Capabilities.Drop, c.Name)
	require.NotContains(t, c.Image, ":latest")
	if kind != "Deployment" && kind != "StatefulSet" {
		return
	}
	require.NotEmpty(t, c.Liveness, c.Name)
	require.NotEmpty(t, c.Readiness, c.Name)
	require.NotEmpty(t, c.Resources.Requests["cpu"], c.Name)
	require.NotEmpty(t, c.Resources.Limits["memory"], c.Name)
}

// A proxy gets more time to stop than its requests in progress may take.
func TestChartProxiesHaveTimeToDrain(t *testing.T) {
	t.Parallel()
	for _, m := range readManifests(t, chartData+"/minimal.golden.yaml") {
		if m.Kind == "StatefulSet" {
			require.Greater(t, m.Spec.Template.Spec.Grace, 600)
			return
		}
	}
	require.Fail(t, "no proxies")
}
