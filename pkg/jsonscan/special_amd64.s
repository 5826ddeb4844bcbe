#include "textflag.h"

// These tables mark the characters of two-byte escapes. A character is one of them if the
// entry of its low nibble and the entry of its high nibble have a bit in common. Bit 0 stands for
// " and /, bit 1 for \, bit 2 for b, f and n, bit 3 for r and t.
DATA lowNibbles<>+0(SB)/8, $0x00040008000d0000 // "br, t, f
DATA lowNibbles<>+8(SB)/8, $0x0104000200000000 // \, n, /
GLOBL lowNibbles<>(SB), RODATA|NOPTR, $16
DATA highNibbles<>+0(SB)/8, $0x0804020000010000
DATA highNibbles<>+8(SB)/8, $0x0000000000000000
GLOBL highNibbles<>(SB), RODATA|NOPTR, $16

// func skipTextAVX2(src *byte, n int) (skipped, escapes int, highBits uint64)
TEXT ·skipTextAVX2(SB), NOSPLIT, $0-40
	MOVQ src+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ AX, AX // offset of the block
	XORQ DI, DI // number of escapes
	XORQ R8, R8 // 1 if the first byte of the block is escaped
	MOVQ $0x2222222222222222, BX // quotes
	VMOVQ BX, X0
	VPBROADCASTQ X0, Y0
	MOVQ $0x5c5c5c5c5c5c5c5c, BX // backslashes
	VMOVQ BX, X1
	VPBROADCASTQ X1, Y1
	MOVQ $0x2020202020202020, BX // signed bytes below: control characters and non-ASCII
	VMOVQ BX, X2
	VPBROADCASTQ X2, Y2
	MOVQ $0x0f0f0f0f0f0f0f0f, BX // nibbles
	VMOVQ BX, X3
	VPBROADCASTQ X3, Y3
	VBROADCASTI128 lowNibbles<>(SB), Y4
	VBROADCASTI128 highNibbles<>(SB), Y5
	VPXOR Y6, Y6, Y6 // all bytes of blocks that are not plain, for their high bits
	VPXOR Y15, Y15, Y15
	MOVQ $0xaaaaaaaaaaaaaaaa, R9 // odd offsets

block:
	LEAQ 64(AX), BX
	CMPQ BX, CX
	JGT  done
	VMOVDQU (SI)(AX*1), Y7
	VMOVDQU 32(SI)(AX*1), Y8
	VPCMPEQB Y7, Y1, Y9 // backslashes
	VPCMPEQB Y8, Y1, Y10
	VPCMPGTB Y7, Y2, Y11 // control characters and non-ASCII
	VPCMPGTB Y8, Y2, Y12
	VPCMPEQB Y7, Y0, Y13 // quotes
	VPCMPEQB Y8, Y0, Y14
	VPOR Y11, Y13, Y11
	VPOR Y12, Y14, Y12
	VPOR Y9, Y11, Y13
	VPOR Y10, Y12, Y14
	VPOR Y13, Y14, Y13
	VPTEST Y13, Y13
	JNZ  special
	TESTQ R8, R8
	JNZ  special
	MOVQ BX, AX
	JMP  block

special:
	VPMOVMSKB Y9, R10
	VPMOVMSKB Y10, BX
	SHLQ $32, BX
	ORQ  BX, R10 // backslashes
	VPMOVMSKB Y11, R11
	VPMOVMSKB Y12, BX
	SHLQ $32, BX
	ORQ  BX, R11
	VPMOVMSKB Y7, DX
	VPMOVMSKB Y8, BX
	SHLQ $32, BX
	ORQ  BX, DX
	NOTQ DX
	ANDQ DX, R11 // quotes and control characters
	MOVQ R10, R12
	ORQ  R8, R12
	JNZ  escapes
	TESTQ R11, R11
	JNZ  stopped
	VPOR Y7, Y6, Y6
	VPOR Y8, Y6, Y6
	ADDQ $64, AX
	JMP  block

escapes:
	// An escape begins at every second backslash of a run. Subtracting the backslashes from
	// the bytes after them lets a borrow run through each run, which sorts the odd offsets
	// from the even ones.
	MOVQ R8, R12
	NOTQ R12
	ANDQ R10, R12           // backslashes that may begin an escape
	LEAQ (R12)(R12*1), R13
	ORQ  R9, R13
	SUBQ R12, R13
	XORQ R9, R13            // beginnings and second bytes of escapes
	MOVQ R10, R12
	ORQ  R8, R12
	XORQ R13, R12           // escaped bytes
	ANDQ R10, R13
	SHRQ $63, R13           // the next block begins with an escaped byte

	VPAND Y7, Y3, Y9
	VPAND Y8, Y3, Y10
	VPSHUFB Y9, Y4, Y9
	VPSHUFB Y10, Y4, Y10
	VPSRLW $4, Y7, Y11
	VPSRLW $4, Y8, Y12
	VPAND Y11, Y3, Y11
	VPAND Y12, Y3, Y12
	VPSHUFB Y11, Y5, Y11
	VPSHUFB Y12, Y5, Y12
	VPAND Y9, Y11, Y9
	VPAND Y10, Y12, Y10
	VPCMPEQB Y9, Y15, Y9
	VPCMPEQB Y10, Y15, Y10
	VPMOVMSKB Y9, DX
	VPMOVMSKB Y10, BX
	SHLQ $32, BX
	ORQ  BX, DX // characters that no short escape has
	ANDQ R12, DX
	MOVQ R12, BX
	NOTQ BX
	ANDQ BX, R11
	ORQ  DX, R11 // bytes at which to stop
	JNZ  stopped
	POPCNTQ R12, BX
	ADDQ BX, DI
	MOVQ R13, R8
	VPOR Y7, Y6, Y6
	VPOR Y8, Y6, Y6
	ADDQ $64, AX
	JMP  block

stopped:
	// Count the escapes that end before the stop. If the stop is an escaped byte, the text
	// ends before its backslash.
	BSFQ R11, CX
	MOVQ $1, BX
	SHLQ CX, BX
	LEAQ -1(BX), DX
	ANDQ R12, DX
	POPCNTQ DX, DX
	ADDQ DX, DI
	VPMOVMSKB Y7, R10
	VPMOVMSKB Y8, DX
	SHLQ $32, DX
	ORQ  DX, R10
	LEAQ -1(BX), DX
	ANDQ DX, R10 // high bits before the stop
	ADDQ CX, AX
	ANDQ R12, BX
	JZ   end
	DECQ AX
	JMP  end

done:
	SUBQ R8, AX // the backslash of an escape that is cut off
	XORQ R10, R10

end:
	VPMOVMSKB Y6, BX
	ORQ  BX, R10
	VZEROUPPER
	MOVQ AX, skipped+16(FP)
	MOVQ DI, escapes+24(FP)
	MOVQ R10, highBits+32(FP)
	RET
