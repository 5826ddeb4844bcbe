package coder_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/coder"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

const file = "/project/greeting.txt"

func newPrompt(tools ...server.Tool) *server.Prompt {
	p := &server.Prompt{Tools: tools}
	p.AddText("user", coder.Task("/project"))
	return p
}

func tool(name, schema string) server.Tool {
	return server.Tool{Name: name, Schema: json.RawMessage(schema)}
}

// The model reads, edits and reports, in the argument names of the offered tools.
func TestModelUsesTheToolsOfTheAgent(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tools []server.Tool
		steps []server.ToolCall
	}{
		{"read and edit", []server.Tool{
			tool("Edit", `{"properties":{"file_path":{"type":"string"},"old_string":{"type":"string"},"new_string":{"type":"string"},"replace_all":{"type":"boolean"}}}`),
			tool("Read", `{"properties":{"file_path":{"type":"string"},"limit":{"type":"integer"}}}`),
		}, []server.ToolCall{
			{Name: "Read", Args: `{"file_path":"` + file + `"}`},
			{Name: "Edit", Args: `{"file_path":"` + file + `","new_string":"goodbye","old_string":"hello"}`},
		}},
		{"a list of edits", []server.Tool{
			tool("read", `{"properties":{"path":{"type":"string"}}}`),
			tool("edit", `{"required":["path","edits"],"properties":{"path":{"type":"string"},"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string"},"newText":{"type":"string"}}}}}}`),
		}, []server.ToolCall{
			{Name: "read", Args: `{"path":"` + file + `"}`},
			{Name: "edit", Args: `{"edits":[{"newText":"goodbye","oldText":"hello"}],"path":"` + file + `"}`},
		}},
		{"a tool that ends the task", []server.Tool{
			tool("read_files", `{"required":["files"],"properties":{"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"}}}}}}`),
			tool("editor", `{"properties":{"path":{"type":"string"},"old_text":{"type":"string"},"new_text":{"type":"string"}}}`),
			tool("submit_and_exit", `{"properties":{"summary":{"type":"string"},"verified":{"type":"boolean"}}}`),
		}, []server.ToolCall{
			{Name: "read_files", Args: `{"files":[{"path":"` + file + `"}]}`},
			{Name: "editor", Args: `{"new_text":"goodbye","old_text":"hello","path":"` + file + `"}`},
			{Name: "submit_and_exit", Args: `{"summary":"` + coder.Done + `","verified":true}`},
		}},
		{"a shell", []server.Tool{tool("exec_command", `{"properties":{"cmd":{"type":"string"}}}`)}, []server.ToolCall{
			{Name: "exec_command", Args: `{"cmd":"cat ` + file + `"}`},
			{Name: "exec_command", Args: `{"cmd":"sed -i s/hello/goodbye/ ` + file + `"}`},
		}},
		{"a shell that wants a list", []server.Tool{tool("shell", `{"properties":{"command":{"type":"array"}}}`)}, []server.ToolCall{
			{Name: "shell", Args: `{"command":["bash","-c","cat ` + file + `"]}`},
			{Name: "shell", Args: `{"command":["bash","-c","sed -i s/hello/goodbye/ ` + file + `"]}`},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPrompt(tt.tools...)
			for _, want := range tt.steps {
				got, ok := coder.Model(p)
				require.True(t, ok)
				require.Equal(t, []server.ToolCall{want}, got.Calls)
				p.AddCall(want.Name, want.Args)
			}
			got, _ := coder.Model(p)
			require.Equal(t, server.Reply{Text: coder.Done}, got)
		})
	}
}

func TestModelLeavesOtherPromptsAlone(t *testing.T) {
	_, ok := coder.Model(&server.Prompt{})
	require.False(t, ok)
	_, ok = coder.Model(newPrompt())
	require.False(t, ok, "a prompt for a title has no tools")
}

func TestModelEditsInTextWithoutTools(t *testing.T) {
	p := newPrompt()
	p.AddText("system", "Answer with a SEARCH/REPLACE block.")
	got, ok := coder.Model(p)
	require.True(t, ok)
	require.Contains(t, got.Text, file+"\n```\n<<<<<<< SEARCH\nhello world\n=======\ngoodbye world\n>>>>>>> REPLACE\n```")
}
