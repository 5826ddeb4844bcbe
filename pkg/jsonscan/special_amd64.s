#include "textflag.h"

// func findSpecialAVX2(src *byte, n int) (skipped int, marks uint64)
TEXT ·findSpecialAVX2(SB), NOSPLIT, $0-32
	MOVQ src+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ AX, AX
	XORQ DX, DX
	MOVQ $0x2222222222222222, BX // quotes
	VMOVQ BX, X0
	VPBROADCASTQ X0, Y0
	MOVQ $0x5c5c5c5c5c5c5c5c, BX // backslashes
	VMOVQ BX, X1
	VPBROADCASTQ X1, Y1
	MOVQ $0x2020202020202020, BX // signed bytes below: control characters and non-ASCII
	VMOVQ BX, X2
	VPBROADCASTQ X2, Y2

block:
	LEAQ 64(AX), BX
	CMPQ BX, CX
	JGT  done
	VMOVDQU (SI)(AX*1), Y3
	VMOVDQU 32(SI)(AX*1), Y4
	VPCMPEQB Y3, Y0, Y5
	VPCMPEQB Y3, Y1, Y6
	VPCMPGTB Y3, Y2, Y7
	VPOR Y5, Y6, Y5
	VPOR Y5, Y7, Y5
	VPCMPEQB Y4, Y0, Y8
	VPCMPEQB Y4, Y1, Y9
	VPCMPGTB Y4, Y2, Y10
	VPOR Y8, Y9, Y8
	VPOR Y8, Y10, Y8
	VPOR Y5, Y8, Y11
	VPTEST Y11, Y11
	JNZ  found
	MOVQ BX, AX
	JMP  block

found:
	VPMOVMSKB Y5, DX
	VPMOVMSKB Y8, BX
	SHLQ $32, BX
	ORQ  BX, DX

done:
	VZEROUPPER
	MOVQ AX, skipped+16(FP)
	MOVQ DX, marks+24(FP)
	RET
