package e2e

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// deploy/scripts/chart sets these flags. Both charts were rendered with the values of the first one.
var (
	chartBeforeFlag = flag.String("chart-before", "", "manifests of the previous version's chart")
	chartAfterFlag  = flag.String("chart-after", "", "manifests of this version's chart")
)

// immutableFields are the fields that Kubernetes refuses to change. A chart that changes one of them
// cannot be upgraded.
var immutableFields = map[string][]string{
	"Deployment":            {"spec.selector"},
	"StatefulSet":           {"spec.selector", "spec.serviceName", "spec.podManagementPolicy", "spec.volumeClaimTemplates"},
	"Job":                   {"spec.selector", "spec.template"},
	"Service":               {"spec.clusterIP"},
	"PersistentVolumeClaim": {"spec.accessModes", "spec.storageClassName"},
}

// object is a Kubernetes object.
type object map[string]any

// field returns the value at a path, or nil.
func (o object) field(path string) any {
	var at any = map[string]any(o)
	for name := range strings.SplitSeq(path, ".") {
		fields, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = fields[name]
	}
	return at
}

func (o object) name() string { return fmt.Sprint(o.field("kind"), " ", o.field("metadata.name")) }

func readObjects(t *testing.T, file string) (all []object) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o map[string]any
		err := d.Decode(&o)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		if o != nil {
			all = append(all, o)
		}
	}
}

// upgradeProblems returns why Kubernetes would refuse the upgrade, or what data it would lose.
func upgradeProblems(before, after []object) (problems []string) {
	now := map[string]object{}
	for _, o := range after {
		now[o.name()] = o
	}
	for _, old := range before {
		kind := fmt.Sprint(old.field("kind"))
		kept := now[old.name()]
		if kept == nil && (kind == "StatefulSet" || kind == "PersistentVolumeClaim") {
			problems = append(problems, old.name()+" is gone, and its data with it")
			continue
		}
		for _, path := range immutableFields[kind] {
			if kept != nil && !reflect.DeepEqual(old.field(path), kept.field(path)) {
				problems = append(problems, old.name()+": "+path+" cannot change")
			}
		}
	}
	return problems
}

// TestChartUpgrade compares two charts. The values of the previous version are still valid, because
// the second one was rendered with them.
func TestChartUpgrade(t *testing.T) {
	if *chartBeforeFlag == "" {
		t.Skip("runs with make chart")
	}
	before := readObjects(t, *chartBeforeFlag)
	require.Greater(t, len(before), 10)
	require.Empty(t, upgradeProblems(before, readObjects(t, *chartAfterFlag)))
}

// The comparison notices what Kubernetes would refuse.
func TestUpgradeProblemsOfCharts(t *testing.T) {
	t.Parallel()
	const golden = chartData + "/minimal.golden.yaml"
	require.Empty(t, upgradeProblems(readObjects(t, golden), readObjects(t, golden)))
	changed := readObjects(t, golden)
	for _, o := range changed {
		switch o.name() {
		case "StatefulSet signalbox-proxy":
			o["spec"].(map[string]any)["serviceName"] = "another"
		case "Deployment signalbox-router":
			o["spec"].(map[string]any)["selector"] = map[string]any{}
		}
	}
	require.Equal(t, []string{
		"Deployment signalbox-router: spec.selector cannot change", "StatefulSet signalbox-proxy: spec.serviceName cannot change",
	}, upgradeProblems(readObjects(t, golden), changed))
	require.Equal(t, []string{"StatefulSet signalbox-proxy is gone, and its data with it"}, upgradeProblems(readObjects(t, golden), nil))
}
