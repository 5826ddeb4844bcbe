package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
)

func TestSecretIsNeverShown(t *testing.T) {
	const value = "hunter2"
	type holder struct {
		Name  string
		Token config.Secret
	}
	h := holder{Name: "n", Token: value}
	var shown []string
	for _, v := range []any{h.Token, &h.Token, h, &h, []config.Secret{value}, map[string]config.Secret{"k": value}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10s"} {
			shown = append(shown, fmt.Sprintf(verb, v))
		}
		b, err := json.Marshal(v)
		require.NoError(t, err)
		shown = append(shown, string(b))
		var text, lines bytes.Buffer
		slog.New(slog.NewTextHandler(&text, nil)).Info("m", "v", v)
		slog.New(slog.NewJSONHandler(&lines, nil)).Info("m", "v", v)
		shown = append(shown, text.String(), lines.String())
	}
	shown = append(shown, fmt.Errorf("with %w and %s", errors.New("cause"), h.Token).Error(), fmt.Sprint(h.Token), h.Token.String())
	for _, s := range shown {
		require.NotContains(t, s, value)
		require.NotContains(t, s, fmt.Sprintf("%x", value))
		require.NotContains(t, s, fmt.Sprintf("%X", value))
	}
	require.Equal(t, "***", fmt.Sprint(h.Token))
	require.Equal(t, value, h.Token.Reveal())
}
