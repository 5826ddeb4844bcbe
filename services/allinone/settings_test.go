package allinone_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/testkit/docsref"
	"github.com/signalbox/signalbox/services/allinone"
	"github.com/signalbox/signalbox/services/dashboard"
	"github.com/signalbox/signalbox/services/keyauth"
	"github.com/signalbox/signalbox/services/proxy"
	"github.com/signalbox/signalbox/services/router"
)

// settingsOf returns the settings that a program lists in its help.
func settingsOf[C any](t *testing.T, load func(args, environ []string) (C, error)) []config.Setting {
	t.Helper()
	_, err := load([]string{"--help"}, nil)
	var help *config.Help
	require.ErrorAs(t, err, &help)
	require.NotEmpty(t, help.Settings)
	return help.Settings
}

func TestSettingsReferenceIsCurrent(t *testing.T) {
	programs := []struct {
		name     string
		settings []config.Setting
	}{
		{"signalbox", settingsOf(t, allinone.LoadConfig)},
		{"proxy", settingsOf(t, proxy.LoadConfig)},
		{"router", settingsOf(t, router.LoadConfig)},
		{"keyauth", settingsOf(t, keyauth.LoadConfig)},
		{"dashboard", settingsOf(t, dashboard.LoadConfig)},
	}
	var names []string
	byName := map[string]config.Setting{}
	users := map[string][]string{}
	defaults := map[string][]string{}
	for _, p := range programs {
		for _, s := range p.settings {
			if _, known := byName[s.Name]; !known {
				names = append(names, s.Name)
				byName[s.Name] = s
			}
			users[s.Name] = append(users[s.Name], p.name)
			defaults[s.Name] = append(defaults[s.Name], s.Default)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		s := byName[name]
		fmt.Fprintf(&b, "### --%s\n\n", name)
		if s.Env != "" {
			fmt.Fprintf(&b, "Variable `%s`. ", s.Env)
		}
		b.WriteString(describeDefaults(users[name], defaults[name]))
		fmt.Fprintf(&b, "Used by %s.\n\n%s.\n\n", strings.Join(users[name], ", "), strings.ToUpper(s.Usage[:1])+s.Usage[1:])
	}
	docsref.Check(t, "reference/settings.md", "settings", b.String())
}

// describeDefaults names the programs if their defaults differ.
func describeDefaults(programs, defaults []string) string {
	if len(slices.Compact(slices.Sorted(slices.Values(defaults)))) == 1 {
		if defaults[0] == "" {
			return ""
		}
		return "Default `" + defaults[0] + "`. "
	}
	var each []string
	for i, program := range programs {
		if defaults[i] != "" {
			each = append(each, "`"+defaults[i]+"` ("+program+")")
		}
	}
	return "Default " + strings.Join(each, ", ") + ". "
}
