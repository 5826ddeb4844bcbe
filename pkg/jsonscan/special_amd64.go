package jsonscan

import "golang.org/x/sys/cpu"

// wideBlock is the size of a block that findSpecialBlock examines at once.
const wideBlock = 64

// findSpecialBlock skips blocks without special bytes. It returns the offset of the first block
// that has some, with its marks. Without such a block, it returns an offset less than wideBlock
// before the end, and no marks.
func findSpecialBlock(src []byte, at int) (base int, marks uint64) {
	if !cpu.X86.HasAVX2 {
		return at, 0
	}
	skipped, marks := findSpecialAVX2(&src[at], len(src)-at)
	return at + skipped, marks
}

// findSpecialAVX2 examines 32 bytes with each instruction. It reads whole blocks of the n bytes
// at src.
//
//go:noescape
func findSpecialAVX2(src *byte, n int) (skipped int, marks uint64)
