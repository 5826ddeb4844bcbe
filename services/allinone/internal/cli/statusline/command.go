// Package statusline holds the command statusline. Claude Code runs it after every message and
// shows its output below the prompt.
//
// The command must never disturb the agent: it ends within a second, prints one line and exits
// with success, also when the gateway does not respond.
package statusline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// Commands returns the command of the status line.
func Commands() []cli.Command { return commands(timeout) }

func commands(limit time.Duration) []cli.Command {
	return []cli.Command{{
		Name: "statusline", Summary: "print model, cost and savings of a session, for the status line of Claude Code",
		Run:      func(ctx context.Context, c cli.Invocation) error { return printStatusLine(ctx, c, limit) },
		Examples: []string{"< status.json"},
	}}
}

const (
	// timeout limits the whole command.
	timeout = time.Second
	// maxBytes limits the input and the response.
	maxBytes = 1 << 20
)

func printStatusLine(ctx context.Context, c cli.Invocation, limit time.Duration) error {
	if err := config.New().Load(c.Args, nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	line, err := statusLine(ctx, c)
	if err != nil {
		line = "Signalbox: " + err.Error()
	}
	_, err = fmt.Fprintln(c.Out, cli.Sanitize(line))
	return err
}

func statusLine(ctx context.Context, c cli.Invocation) (string, error) {
	session, err := readSessionID(ctx, c.In)
	if err != nil {
		return "", err
	}
	gateway, err := findGateway(c.Environ)
	if err != nil {
		return "", err
	}
	t, err := gateway.fetchTotals(ctx, session)
	if err != nil {
		return "", err
	}
	return t.describe(), nil
}

var errNoSession = errors.New("no session in the input; Claude Code sends it to its status line command")

// readSessionID reads the session from the JSON that Claude Code sends. It does not wait longer
// than the context, because a terminal never ends its input.
func readSessionID(ctx context.Context, in io.Reader) (string, error) {
	found := make(chan string, 1)
	go func() {
		var input struct {
			SessionID string `json:"session_id"`
		}
		_ = json.NewDecoder(io.LimitReader(in, maxBytes)).Decode(&input)
		found <- input.SessionID
	}()
	select {
	case id := <-found:
		if id != "" {
			return id, nil
		}
	case <-ctx.Done():
	}
	return "", errNoSession
}
