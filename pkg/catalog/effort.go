package catalog

// Efforts lists the reasoning efforts, lowest first. A model has some of them.
func Efforts() []string { return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"} }
