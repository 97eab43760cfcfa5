/* One function whose inlined calls nest half a million deep, one byte a level. For any machine. */
	.text
	.globl	main
	.type	main, @function
main:
.Lstart:
	nop
	ret
.Lend:
	.size	main, .-main

	.section	.debug_abbrev,"",@progbits
	.byte	1, 0x11, 1		/* compile unit with children */
	.byte	0x11, 0x01, 0x12, 0x07	/* low_pc addr, high_pc data8 */
	.byte	0, 0
	.byte	2, 0x2e, 1		/* subprogram with children */
	.byte	0x11, 0x01, 0x12, 0x07
	.byte	0, 0
	.byte	3, 0x1d, 1		/* inlined subroutine with children, no attributes */
	.byte	0, 0
	.byte	0

	.section	.debug_info,"",@progbits
	.long	.Lunit_end - .Lunit
.Lunit:
	.2byte	4
	.long	.debug_abbrev
	.byte	8
	.byte	1
	.quad	.Lstart, .Lend - .Lstart
	.byte	2
	.quad	.Lstart, .Lend - .Lstart
	.fill	LEVELS, 1, 3
	.fill	LEVELS, 1, 0
	.byte	0, 0
.Lunit_end:

	.section	.note.GNU-stack,"",@progbits
