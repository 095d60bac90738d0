/* SPDX-License-Identifier: MIT */
#include "report/export/export_json_range.h"

#include "report/export/export_json_row.h"
#include "report/export/json.h"

const char *json_range_style(unsigned style)
{
	return style == RANGE_START_END ? "start/end" : "push/pop";
}

static void add_sum(cJSON *object, const char *name, const struct range_sum *sum)
{
	cJSON *entry = cJSON_AddObjectToObject(object, name);

	cJSON_AddNumberToObject(entry, "operations", sum->operations);
	json_add_unsigned(entry, "time", sum->time);
	cJSON_AddBoolToObject(entry, "estimated", sum->estimated);
}

static void add_part(cJSON *parts, const struct session *session, const struct nvtx_part *part,
		     struct trace_name **names)
{
	const struct row *row = session_row_at(session, part->row);
	const struct trace_name *name = trace_name_get(names, session, row->kind, row->name);
	cJSON *entry;

	if (!name)
		return;
	entry = cJSON_CreateObject();
	json_add_text(entry, "kind", json_kind_name(row->kind));
	json_add_text(entry, "name", name->text);
	if (row->device >= 0)
		json_add_unsigned(entry, "device", row->device);
	json_add_figures(entry, session, SCOPE_PART, part, "");
	cJSON_AddItemToArray(parts, entry);
}

cJSON *json_range(const struct range_tree *tree, size_t index, const struct session *session,
		  struct trace_name **names)
{
	const struct range_node *node = &tree->nodes[index];
	cJSON *object = cJSON_CreateObject(), *parts;

	json_add_unsigned(object, "id", index);
	if (node->parent != RANGE_NO_PARENT)
		json_add_unsigned(object, "parent", node->parent);
	json_add_text(object, "name", session_string(session, node->range->name));
	json_add_text(object, "domain", session_string(session, node->range->domain));
	json_add_text(object, "style", json_range_style(node->range->style));
	json_add_unsigned(object, "thread", node->range->thread);
	json_add_unsigned(object, "calls", node->calls);
	json_add_unsigned(object, "open", node->open);
	if (node->calls) {
		json_add_unsigned(object, "total", node->total);
		json_add_unsigned(object, "minimum", node->minimum);
		json_add_unsigned(object, "maximum", node->maximum);
	}
	add_sum(object, "own", &node->own);
	add_sum(object, "all", &node->all);
	parts = cJSON_AddArrayToObject(object, "parts");
	for (size_t i = 0; i < node->part_count; i++)
		add_part(parts, session, tree->parts[node->first_part + i], names);
	return object;
}
