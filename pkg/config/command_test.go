package config_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
)

type order struct {
	key, name, data string
	yes             bool
	seen            []string
}

func newOrder() (*config.Set, *order) {
	var o order
	s := config.New()
	s.FlagsOnly(true)
	s.Argument(&o.key, "KEY", "which key")
	s.Argument(&o.name, "NAME", "its new name")
	s.Bool(&o.yes, "yes", false, "do not ask")
	s.Func("label", "a word", func(v string) error {
		if v == "" {
			return errors.New("want a word")
		}
		o.seen = append(o.seen, v)
		return nil
	})
	s.FlagsOnly(false)
	s.String(&o.data, "data", "./data", "directory")
	return s, &o
}

func TestArgumentsComeInOrderAmongTheFlags(t *testing.T) {
	s, o := newOrder()
	require.NoError(t, s.Load([]string{"--yes", "k1", "--label", "a", "n1", "--data=d"}, nil))
	require.Equal(t, order{key: "k1", name: "n1", data: "d", yes: true, seen: []string{"a"}}, *o)
}

func TestArgumentsAreAllThatIsWanted(t *testing.T) {
	s, _ := newOrder()
	require.EqualError(t, s.Load([]string{"k1"}, nil), "argument NAME is missing: its new name")
	require.EqualError(t, s.Load([]string{"k1", "n1", "more"}, nil), `"more": unexpected argument`)
	require.EqualError(t, s.Load([]string{"k1", "n1", "--label="}, nil), `--label="": want a word`)
}

// The environment never changes what a command does.
func TestFlagsOnlyHaveNoVariable(t *testing.T) {
	s, o := newOrder()
	require.NoError(t, s.Load([]string{"k", "n"}, []string{"SIGNALBOX_YES=true", "SIGNALBOX_LABEL=x", "SIGNALBOX_LABELL=x", "SIGNALBOX_DATA=d"}))
	require.Equal(t, order{key: "k", name: "n", data: "d"}, *o)
	usage := s.Usage()
	require.Contains(t, usage, "KEY                      which key\n")
	require.Contains(t, usage, "SIGNALBOX_DATA")
	require.NotContains(t, usage, "SIGNALBOX_YES")
}

func TestDidYouMean(t *testing.T) {
	require.Equal(t, ", did you mean keys?", config.DidYouMean("kyes", []string{"accounts", "keys"}))
	require.Empty(t, config.DidYouMean("train", []string{"accounts", "keys"}))
}
