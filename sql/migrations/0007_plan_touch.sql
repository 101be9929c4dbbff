-- SPDX-License-Identifier: GPL-2.0-or-later
-- A plan looks at both sides of a series itself: it is told where they are.

CREATE OR REPLACE FUNCTION work_plan_load(j job) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	s series;
	a application;
	t tree;
BEGIN
	SELECT * INTO s FROM series WHERE id = (j.payload->>'series_id')::int8;
	IF NOT FOUND OR s.state <> 'applied' THEN
		RETURN jsonb_build_object('finish', 'done', 'why', 'no longer wanted');
	END IF;
	SELECT * INTO a FROM application WHERE series_id = s.id AND content = s.content;
	SELECT * INTO t FROM tree WHERE id = a.tree_id;
	RETURN jsonb_build_object('root', s.root_message_id, 'version', s.version, 'tree', t.name,
		'base_commit', a.base_commit, 'base_tree', a.base_tree,
		'patched_commit', a.patched_commit, 'patched_tree', a.patched_tree, 'pack', a.patch_pack,
		'arch', setting_get('plan_arch'), 'config', setting_get('plan_config'),
		'profile', setting_get('plan_profile'),
		'topologies', to_jsonb(regexp_split_to_array(btrim(setting_get('plan_topologies')), '\s+')),
		'k_blocks', setting_get('plan_blocks')::int4, 'n_runs', setting_get('plan_runs_per_boot')::int4);
END $$;
