/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/facts.h"

#include "topo/topo.h"

static json_t *topology_json(struct arena *a, const char *name)
{
	const struct topo_preset *p = topo_preset_find(name);

	if (!p)
		return jx_pack("{s:s, s:s}", "name", name, "text", "not known here");
	return jx_pack("{s:s, s:s, s:o}", "name", name, "text",
		topo_describe(a, topo_preset_make(a, p)), "command",
		jx_str_or_null(topo_preset_command(a, p)));
}

int facts_report(struct arena *a, json_t *facts, struct report **ret, struct err *e)
{
	json_t *names = json_object_get(facts, "topologies"), *out = json_array(), *name;
	struct report_input *in;
	size_t i;
	int status;

	json_array_foreach(names, i, name) if (json_is_string(name))
		json_array_append_new(out, topology_json(a, json_string_value(name)));
	json_object_set_new(facts, "topologies", out);
	status = report_input_from_json(a, facts, &in, e);
	return status == 0 ? report_build(a, in, ret, e) : status;
}
