package coder

import (
	"encoding/json"
	"slices"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// The names of tools, best first.
var (
	// Claude Code and Continue; OpenCode and pi; Gemini CLI, Qwen Code and Cline.
	readTools = []string{"Read", "read", "read_file", "read_files"}
	// Claude Code and Continue; OpenCode and pi; Gemini CLI; Qwen Code; Cline.
	editTools = []string{"Edit", "edit", "replace", "edit_file", "editor", "replace_in_file"}
	// Codex; the others as a substitute for the tools above.
	shellTools = []string{"exec_command", "shell", "shell_command", "local_shell", "Bash", "bash", "run_shell_command", "execute_command", "run_commands"}
	// Cline ends a task with a tool call.
	reportTools = []string{"submit_and_exit"}
)

// The names of arguments. A tool gets those that its schema has.
var (
	pathArgs    = []string{"file_path", "filePath", "absolute_path", "filepath", "path"}
	oldArgs     = []string{"old_string", "oldString", "oldText", "old_text", "old_str"}
	newArgs     = []string{"new_string", "newString", "newText", "new_text", "new_str"}
	commandArgs = []string{"cmd", "command"}

	argumentNames = map[string][]string{
		"path": pathArgs, "old": oldArgs, "new": newArgs, "command": commandArgs, "report": {"summary"}, "done": {"verified"},
	}
)

// planSteps returns the calls that do the task: two, and one more if a tool ends the task.
func planSteps(tools []server.Tool, path string) []server.ToolCall {
	steps := planEdit(tools, path)
	if end, ok := callOf(tools, reportTools, map[string]any{"report": Done, "done": true}); ok {
		steps = append(steps, end)
	}
	return steps
}

func planEdit(tools []server.Tool, path string) []server.ToolCall {
	read, canRead := callOf(tools, readTools, map[string]any{"path": path})
	edit, canEdit := callOf(tools, editTools, map[string]any{"path": path, "old": Old, "new": New})
	if canRead && canEdit {
		return []server.ToolCall{read, edit}
	}
	first, _ := callOf(tools, shellTools, map[string]any{"command": "cat " + path})
	second, ok := callOf(tools, shellTools, map[string]any{"command": "sed -i s/" + Old + "/" + New + "/ " + path})
	if !ok {
		return nil
	}
	return []server.ToolCall{first, second}
}

// callOf returns a call of the first offered tool of names. values are the arguments by their meaning.
func callOf(tools []server.Tool, names []string, values map[string]any) (server.ToolCall, bool) {
	for _, name := range names {
		i := slices.IndexFunc(tools, func(t server.Tool) bool { return t.Name == name })
		if i >= 0 {
			return server.ToolCall{Name: name, Args: server.EncodeJSON(fillArguments(tools[i].Schema, values))}, true
		}
	}
	return server.ToolCall{}, false
}

// fillArguments returns arguments that fit the schema: the values, and what else it requires.
func fillArguments(raw json.RawMessage, values map[string]any) map[string]any {
	var s server.Schema
	_ = json.Unmarshal(raw, &s)
	args := map[string]any{}
	for name, schema := range s.Properties {
		if v, ok := findValue(name, schema, values); ok {
			args[name] = v
		} else if slices.Contains(s.Required, name) {
			args[name] = fillRequired(schema, values)
		}
	}
	return args
}

// findValue returns the value of an argument by its name, in the type of its schema.
func findValue(name string, schema json.RawMessage, values map[string]any) (any, bool) {
	for meaning, v := range values {
		if slices.Contains(argumentNames[meaning], name) {
			return inType(schema, meaning, v), true
		}
	}
	return nil, false
}

// inType returns a command as a list if the tool wants one.
func inType(raw json.RawMessage, meaning string, v any) any {
	var s server.Schema
	_ = json.Unmarshal(raw, &s)
	if meaning == "command" && s.Kind() == "array" {
		return append([]string{"bash", "-c"}, v.(string))
	}
	return v
}

// fillRequired returns the value of a required argument without a known name. Lists get one
// object, because pi takes a list of edits.
func fillRequired(raw json.RawMessage, values map[string]any) any {
	var s, item server.Schema
	_ = json.Unmarshal(raw, &s)
	_ = json.Unmarshal(s.Items, &item)
	switch {
	case s.Kind() == "array" && len(item.Properties) > 0:
		return []any{fillArguments(s.Items, values)}
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Kind() == "boolean":
		return false
	case s.Kind() == "integer" || s.Kind() == "number":
		return 1
	case s.Kind() == "array":
		return []any{}
	case s.Kind() == "string":
		return "greeting"
	}
	return map[string]any{}
}
