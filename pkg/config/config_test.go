package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
)

type settings struct {
	listen string
	token  config.Secret
	debug  bool
	size   int64
	grace  time.Duration
	mode   string
}

func newSet() (*config.Set, *settings) {
	var c settings
	s := config.New()
	s.String(&c.listen, "listen", "127.0.0.1:8080", "address")
	s.Secret(&c.token, "token", "the token")
	s.Bool(&c.debug, "debug", false, "more")
	s.Int(&c.size, "body-limit", 10, 1, 100, "bytes")
	s.Duration(&c.grace, "grace", time.Second, "time to end")
	s.OneOf(&c.mode, "mode", "open", []string{"open", "closed"}, "who may register")
	return s, &c
}

func TestFlagBeatsVariableBeatsDefault(t *testing.T) {
	s, c := newSet()
	require.NoError(t, s.Load(nil, nil))
	require.Equal(t, settings{listen: "127.0.0.1:8080", size: 10, grace: time.Second, mode: "open"}, *c)

	env := []string{"SIGNALBOX_LISTEN=:1", "SIGNALBOX_BODY_LIMIT=20", "SIGNALBOX_GRACE=2s", "SIGNALBOX_MODE=closed",
		"SIGNALBOX_DEBUG=true", "SIGNALBOX_TOKEN=a=b", "HOME=elsewhere", "MALFORMED"}
	require.NoError(t, s.Load(nil, env))
	require.Equal(t, settings{listen: ":1", token: "a=b", debug: true, size: 20, grace: 2 * time.Second, mode: "closed"}, *c)

	require.NoError(t, s.Load([]string{"--listen", ":2", "-body-limit=30", "--grace=0s", "--mode", "open", "--debug=false", "--token=c"}, env))
	require.Equal(t, settings{listen: ":2", token: "c", size: 30, mode: "open"}, *c)
	require.Equal(t, "c", c.token.Reveal())
}

func TestAllProblemsAtOnce(t *testing.T) {
	s, _ := newSet()
	err := s.Load(
		[]string{"stray", "--body-limit=101", "--lisen=:1", "--debug=maybe", "--mode"},
		[]string{"SIGNALBOX_GRACE=-1s", "SIGNALBOX_MODE=shut", "SIGNALBOX_TOKN=hunter2"})
	require.Error(t, err)
	require.ElementsMatch(t, []string{
		`"stray": unexpected argument`,
		`--lisen: unknown flag, did you mean --listen?`,
		`--mode: needs a value`,
		`SIGNALBOX_TOKN: unknown setting, did you mean SIGNALBOX_TOKEN?`,
		`--debug="maybe": must be true or false`,
		`--body-limit="101": must be a whole number from 1 to 100`,
		`SIGNALBOX_GRACE="-1s": must be a duration such as 500ms, 30s or 10m`,
		`SIGNALBOX_MODE="shut": must be one of open, closed`,
	}, strings.Split(err.Error(), "\n"))
}

func TestOthersVariablesAndEmptyOnesAreLeftAlone(t *testing.T) {
	s, got := newSet()
	require.NoError(t, s.Load(nil, []string{
		"SIGNALBOX_SERVICE_HOST=10.0.0.1", "SIGNALBOX_PORT_8080_TCP_PROTO=tcp", "SIGNALBOX_KEYAUTH_STORE=x", "SIGNALBOX_GRACE=", "PATH=/bin",
	}))
	fresh, want := newSet()
	require.NoError(t, fresh.Load(nil, nil))
	require.Equal(t, want, got)
}

func TestNumbersStayInTheirRange(t *testing.T) {
	for _, bad := range []string{"0", "101", "x", "", "1.5", "99999999999999999999"} {
		s, c := newSet()
		require.Error(t, s.Load([]string{"--body-limit=" + bad}, nil), bad)
		require.EqualValues(t, 10, c.size, "a rejected value changes nothing")
	}
	s, c := newSet()
	require.NoError(t, s.Load([]string{"--body-limit=100"}, nil))
	require.EqualValues(t, 100, c.size)
}

func TestBoolFlagTakesNoNextArgument(t *testing.T) {
	s, c := newSet()
	require.NoError(t, s.Load([]string{"--debug", "--listen", ":3"}, nil))
	require.True(t, c.debug)
	require.Equal(t, ":3", c.listen)
}

// The argument after a mistyped flag is its value and may be a secret.
func TestValueOfAnUnknownFlagIsNotShown(t *testing.T) {
	s, c := newSet()
	err := s.Load([]string{"--tokne", "hunter2", "--listen", ":4"}, nil)
	require.EqualError(t, err, "--tokne: unknown flag, did you mean --token?")
	require.Equal(t, ":4", c.listen)
}

func TestHelp(t *testing.T) {
	for _, arg := range []string{"-h", "-help", "--help", "help"} {
		s, _ := newSet()
		require.ErrorIs(t, s.Load([]string{"--lisen=:1", arg}, []string{"SIGNALBOX_NOPE=1"}), config.ErrHelp)
	}
	s, c := newSet()
	require.NoError(t, s.Load([]string{"--listen", "help"}, nil), "as a value it is one")
	require.Equal(t, "help", c.listen)
}

// Services that share a process share its settings.
func TestOneNameFeedsAll(t *testing.T) {
	s, c := newSet()
	var again string
	s.String(&again, "listen", "127.0.0.1:8080", "address")
	require.NoError(t, s.Load([]string{"--listen=:5"}, nil))
	require.Equal(t, ":5", again)
	require.Equal(t, ":5", c.listen)
	require.Equal(t, 1, strings.Count(s.Usage(), "--listen "))
}

func TestUsageNamesEverySetting(t *testing.T) {
	s, c := newSet()
	c.token = "hunter2"
	usage := s.Usage()
	for _, want := range []string{"--body-limit", "SIGNALBOX_BODY_LIMIT", "[10]", "who may register (open, closed)", "SIGNALBOX_TOKEN"} {
		require.Contains(t, usage, want)
	}
	require.NotContains(t, usage, "hunter2")
}
