package training

import (
	_ "embed"
	"strings"
)

//go:embed everyday.txt
var everyday string

// everydayPrompts returns requests of daily work that belong to no collection. They were
// written for this purpose. The guard learns from them what is outside.
func everydayPrompts() []string {
	return strings.Split(strings.TrimSpace(everyday), "\n---\n")
}
