//go:build !amd64

package jsonscan

// wideBlock is larger than any text: there are no wide blocks on this architecture.
const wideBlock = 1 << 40

func findSpecialBlock(_ []byte, at int) (base int, marks uint64) { return at, 0 }
