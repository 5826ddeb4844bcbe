//go:build !amd64

package jsonscan

const hasWideScan = false

// skipWideText skips nothing: there are no wide blocks on this architecture.
func skipWideText(_ []byte, at int) (end, escapes int, ascii bool) { return at, 0, true }
