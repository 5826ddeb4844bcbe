package golden

import (
	"fmt"
	"strings"
)

// patch builds a text from the lines of a difference.
type patch struct {
	base []string // the lines that are not yet used
	text strings.Builder
}

// apply uses one line of a difference. It reports whether the line fits the base.
func (p *patch) apply(line string) bool {
	var skipped int
	if _, err := fmt.Sscanf(line, skippedFormat, &skipped); err == nil {
		return p.keep(skipped)
	}
	if line == "" {
		return false
	}
	content := line[1:]
	switch line[0] {
	case isSame:
		return p.startsWith(content) && p.keep(1)
	case isRemoved:
		fits := p.startsWith(content)
		p.base = p.base[min(1, len(p.base)):]
		return fits
	case isAdded:
		p.text.WriteString(content)
		return true
	}
	return false
}

func (p *patch) startsWith(line string) bool { return len(p.base) > 0 && p.base[0] == line }

// keep copies lines of the base.
func (p *patch) keep(n int) bool {
	if n < 1 || n > len(p.base) {
		return false
	}
	p.text.WriteString(strings.Join(p.base[:n], ""))
	p.base = p.base[n:]
	return true
}
