package jsonscan

import "golang.org/x/sys/cpu"

var hasWideScan = cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT

// skipWideText is like skipText, but it examines whole blocks of 64 bytes. It may stop anywhere
// in the last 64 bytes, and stops at once on a CPU without AVX2.
func skipWideText(src []byte, at int) (end, escapes int, ascii bool) {
	if len(src)-at < 64 || !hasWideScan {
		return at, 0, true
	}
	skipped, escapes, highBits := skipTextAVX2(&src[at], len(src)-at)
	return at + skipped, escapes, highBits == 0
}

// skipTextAVX2 examines 32 bytes with each instruction. It reads whole blocks of the n bytes at
// src. highBits is not 0 if a skipped byte is not ASCII.
//
//go:noescape
func skipTextAVX2(src *byte, n int) (skipped, escapes int, highBits uint64)
