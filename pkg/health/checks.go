package health

import "slices"

// CheckResult is the current result of one check.
type CheckResult struct {
	Name string
	// Required means that the process cannot serve requests while the check fails.
	Required bool
	OK       bool
}

// Checks runs all checks and returns their results, in the order in which they were added. Required
// ones come first. Of several checks with one name, it returns the result of all together.
func (r *Readiness) Checks() []CheckResult {
	r.mu.Lock()
	required, optional := slices.Clone(r.required), slices.Clone(r.optional)
	r.mu.Unlock()
	return appendResults(appendResults(nil, required, true), optional, false)
}

func appendResults(all []CheckResult, checks []check, required bool) []CheckResult {
	for _, c := range checks {
		ok := c.run() == nil
		i := slices.IndexFunc(all, func(r CheckResult) bool { return r.Name == c.name })
		if i < 0 {
			all = append(all, CheckResult{c.name, required, ok})
			continue
		}
		all[i].OK = all[i].OK && ok
	}
	return all
}
