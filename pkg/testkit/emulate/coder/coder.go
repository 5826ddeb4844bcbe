// Package coder is a scripted coding model for the emulated vendors. Real coding agents use it to finish
// one small task: it reads a file with the tools that the agent offers, edits the file, and reports.
//
// Agents differ in the names of their tools and of the arguments. The tables in this package list the known
// names; the schema of the offered tool decides between them.
package coder

import (
	"regexp"
	"strings"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// The task: the file, the words to replace, and the report of the model.
const (
	File = "greeting.txt"
	Old  = "hello"
	New  = "goodbye"
	Done = "I changed " + Old + " to " + New + " in " + File + "."
)

// Task returns the instruction for the file in this folder.
func Task(folder string) string {
	return "Change the word " + Old + " to " + New + " in " + folder + "/" + File + ", then report what you did."
}

// filePath finds the file of the task in a prompt.
var filePath = regexp.MustCompile(`Change the word hello to goodbye in (/[^\s"'<>]*/greeting\.txt)`)

// Model is the model of emulate.Options. It answers prompts that contain the task: it reads, then edits, then
// reports. It leaves other prompts, such as those for titles, to the default model.
func Model(p *server.Prompt) (server.Reply, bool) {
	found := filePath.FindStringSubmatch(p.Text())
	if found == nil {
		return server.Reply{}, false
	}
	if edit, ok := replyWithoutTools(p, found[1]); ok {
		return edit, true
	}
	if len(p.Tools) == 0 {
		return server.Reply{}, false
	}
	steps := planSteps(p.Tools, found[1])
	done := countSteps(p.Called, steps)
	if done == len(steps) {
		return server.Reply{Text: Done}, true
	}
	return server.Reply{Text: "I will use " + steps[done].Name + ".", Calls: steps[done : done+1]}, true
}

// countSteps returns how many of the steps the conversation has called, in order. Agents may add calls
// of their own.
func countSteps(called []string, steps []server.ToolCall) (done int) {
	for _, name := range called {
		if done < len(steps) && steps[done].Name == name {
			done++
		}
	}
	return done
}

// replyWithoutTools answers an agent that takes edits from the text of the response, as Aider does.
func replyWithoutTools(p *server.Prompt, path string) (server.Reply, bool) {
	if len(p.Tools) > 0 || !strings.Contains(p.Text(), "SEARCH/REPLACE") {
		return server.Reply{}, false
	}
	block := path + "\n```\n<<<<<<< SEARCH\n" + Old + " world\n=======\n" + New + " world\n>>>>>>> REPLACE\n```\n"
	return server.Reply{Text: Done + "\n\n" + block}, true
}
