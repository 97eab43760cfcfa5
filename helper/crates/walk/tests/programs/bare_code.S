# Code without call frame information, called with an rbp that points to what looks like a saved frame: the address of a
# function, which is no return address. Between the two int3 it is watched.
	.globl main
	.text
main:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	sub	$32, %rsp
	.cfi_def_cfa_offset 48
	lea	bare(%rip), %rax
	mov	%rsp, (%rsp)
	mov	%rax, 8(%rsp)
	mov	%rsp, %rbp
	int3
	call	bare
	nop
	int3
	add	$32, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	.cfi_endproc
	.skip	64, 0x90
bare:
	push	%rbx
	mov	$3, %ecx
1:	dec	%ecx
	jnz	1b
	pop	%rbx
	ret
	.skip	64, 0x90
	.section .note.GNU-stack, "", @progbits
