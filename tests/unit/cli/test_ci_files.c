/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ci_files.c - the CI jobs in docs/ci.md are YAML. Read from the checkout, which tests run in.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <yaml.h>

static void expect_yaml(const char *path)
{
	yaml_parser_t parser;
	yaml_document_t document;
	FILE *file = fopen(path, "rb");
	cr_assert(file, "%s: is not there: run the tests from the checkout", path);
	cr_assert(yaml_parser_initialize(&parser));
	yaml_parser_set_input_file(&parser, file);
	cr_expect(yaml_parser_load(&parser, &document), "%s:%zu: %s", path, parser.problem_mark.line + 1,
		parser.problem);
	const yaml_node_t *root = yaml_document_get_root_node(&document);
	cr_expect(root && root->type == YAML_MAPPING_NODE, "%s: is no map", path);
	yaml_document_delete(&document);
	yaml_parser_delete(&parser);
	(void)fclose(file);
}

Test(ci_files, are_yaml)
{
	expect_yaml("docs/examples/baseline/github.yml");
	expect_yaml("docs/examples/baseline/gitlab.yml");
}
