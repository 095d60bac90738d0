/* SPDX-License-Identifier: MIT */
/* Texts that the command holds as they stand in their files. */

#define ASSET(name, path)                                                                          \
	.hidden name;                                                                              \
	.globl name;                                                                               \
name:                                                                                              \
	.incbin path;                                                                              \
name##_end:                                                                                        \
	.balign 8;                                                                                 \
	.hidden name##_size;                                                                       \
	.globl name##_size;                                                                        \
name##_size:                                                                                       \
	.quad name##_end - name

	.section .rodata
	ASSET(page_css, "report/html/page.css")
	ASSET(page_js, "report/html/page.js")
	ASSET(records_js, "report/html/records.js")
	ASSET(drawing_js, "report/html/drawing.js")
	ASSET(timeline_js, "report/html/timeline.js")
	ASSET(timeline_css, "report/html/timeline.css")
	ASSET(json_schema, "report/export/schema.json")

	.section .note.GNU-stack, "", %progbits
