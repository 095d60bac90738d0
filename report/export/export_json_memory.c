/* SPDX-License-Identifier: MIT */
#include "report/export/export_json_memory.h"

#include "report/export/json.h"
#include "report/session/memory_use.h"

static void add_place(cJSON *object, uint32_t kind, int32_t device)
{
	if (device >= 0)
		cJSON_AddNumberToObject(object, "device", device);
	json_add_text(object, "kind", allocation_key(kind));
}

cJSON *json_memory(const struct session *session)
{
	cJSON *array = cJSON_CreateArray();
	const struct memory_use *use;

	session_for_each_memory_use(session, use)
	{
		cJSON *object = cJSON_CreateObject();

		add_place(object, use->kind, use->device);
		json_add_figures(object, session, SCOPE_MEMORY, use, "");
		cJSON_AddItemToArray(array, object);
	}
	return array;
}

static void add_name(const struct session *session, cJSON *object, const char *name,
		     uint64_t offset)
{
	const char *text = session_string(session, offset);

	if (*text)
		json_add_text(object, name, text);
}

cJSON *json_memory_sites(const struct session *session)
{
	cJSON *array = cJSON_CreateArray();
	const struct memory_site *site;

	session_for_each_memory_site(session, site)
	{
		cJSON *object = cJSON_CreateObject();

		add_place(object, site->kind, site->device);
		if (site->size)
			json_add_unsigned(object, "size", site->size);
		if (site->thread)
			json_add_unsigned(object, "thread", site->thread);
		add_name(session, object, "range", site->range);
		add_name(session, object, "operation", site->operation);
		json_add_figures(object, session, SCOPE_SITE, site, "");
		cJSON_AddItemToArray(array, object);
	}
	return array;
}
