/* SPDX-License-Identifier: MIT */
/*
 * libiberty reads the name into a tree; the tree is edited where nvprof's style is another, and
 * libiberty prints it. What nvprof does differently (seen in its output):
 *   foo<4, true>          foo<int=4, bool=1>
 *   foo()                 foo(void)
 *   long long             __int64
 *   (anonymous namespace) _GLOBAL__N_1
 *   float const*          float const *
 *   a<b<c> >              a<b<c>>
 * and template parameters: it numbers the arguments of all templates in the order in which they
 * end, those of nested ones among them, so T_ in void k<foo<int>>(T_) is int, not foo<int>.
 */
#include "report/names/demangle.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define STYLE	    (DMGL_PARAMS | DMGL_ANSI)

/* As deep as libiberty prints; a deeper tree stays as it is. */
#define DEPTH_MOST  1024
/* libiberty keeps two tables on the stack while it prints; this bounds them. */
#define STACK_MOST  (256UL << 10)

/*
 * Longer names are printed as they are: libiberty reads a type by recursion, up to 96 bytes of
 * stack for each letter, and bounds that only in part.
 */
#define LENGTH_MOST (16UL << 10)

/* Stands for the N of _GLOBAL__N while libiberty, which would rename it, looks at the name. */
#define HIDDEN_N    '\1'

typedef struct demangle_component component;

struct seen {
	component *node;
	UT_hash_handle hh;
};

struct edit {
	component **arguments; /* of all templates, in the order of their end */
	size_t argument_count, argument_capacity;
	char **texts; /* what made-up names point into */
	size_t text_count, text_capacity;
	struct seen *seen; /* substitutions make a tree share its parts */
	bool resolve;	   /* replace template parameters */
	bool failed;	   /* out of memory, or too deep */
	size_t templates, references;
};

static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity ? *capacity * 2 : 32;
	return realloc(array, *capacity * size);
}

/* Whether a node is met for the first time. */
static bool first_visit(struct edit *edit, component *node)
{
	struct seen *seen;

	HASH_FIND_PTR(edit->seen, &node, seen);
	if (seen)
		return false;
	seen = malloc(sizeof(*seen));
	if (!seen)
		goto fail;
	seen->node = node;
	HASH_ADD_PTR(edit->seen, node, seen);
	if (seen->hh.tbl)
		return true;
	free(seen);
fail:
	edit->failed = true;
	return false;
}

static void forget_visits(struct edit *edit)
{
	struct seen *seen, *next;

	HASH_ITER (hh, edit->seen, seen, next) {
		HASH_DEL(edit->seen, seen);
		free(seen);
	}
}

static void add_argument(struct edit *edit, component *argument)
{
	component **grown = grow(edit->arguments, edit->argument_count, &edit->argument_capacity,
				 sizeof(*grown));

	if (!grown) {
		edit->failed = true;
		return;
	}
	edit->arguments = grown;
	grown[edit->argument_count++] = argument;
}

/* Takes the text over. */
static void become_name(struct edit *edit, component *node, char *text)
{
	char **grown;

	if (!text)
		goto fail;
	grown = grow(edit->texts, edit->text_count, &edit->text_capacity, sizeof(*grown));
	if (!grown)
		goto fail;
	edit->texts = grown;
	grown[edit->text_count++] = text;
	if (!cplus_demangle_fill_name(node, text, (int)strlen(text)))
		edit->failed = true;
	return;
fail:
	free(text);
	edit->failed = true;
}

static bool is_binary(const component *node)
{
	switch (node->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_CTOR:
	case DEMANGLE_COMPONENT_DTOR:
	case DEMANGLE_COMPONENT_FIXED_TYPE:
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		return false;
	default:
		return true;
	}
}

/*
 * Where a name has one of these, its template parameters are left to libiberty: nvprof does not
 * read such names at all.
 */
static bool is_beyond_nvprof(const component *node)
{
	switch (node->type) {
	case DEMANGLE_COMPONENT_LOCAL_NAME:
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
	case DEMANGLE_COMPONENT_PACK_EXPANSION:
	case DEMANGLE_COMPONENT_DECLTYPE:
	case DEMANGLE_COMPONENT_CONVERSION:
		return true;
	case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
		/* A list as an argument is a pack. */
		return node->u.s_binary.left &&
		       node->u.s_binary.left->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST;
	default:
		return false;
	}
}

/* Looks the whole tree over: what it holds decides how it is edited. */
static void survey(struct edit *edit, component *node, int depth)
{
	if (depth > DEPTH_MOST)
		edit->failed = true;
	while (node && !edit->failed && first_visit(edit, node)) {
		component *left = is_binary(node) ? node->u.s_binary.left : NULL;

		if (is_beyond_nvprof(node))
			edit->resolve = false;
		if (node->type == DEMANGLE_COMPONENT_TEMPLATE)
			edit->templates++;
		if ((node->type == DEMANGLE_COMPONENT_REFERENCE ||
		     node->type == DEMANGLE_COMPONENT_RVALUE_REFERENCE) &&
		    left && left->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM)
			edit->references++;
		if (!is_binary(node))
			return;
		survey(edit, left, depth + 1);
		node = node->u.s_binary.right;
	}
}

static void edit_tree(struct edit *edit, component **slot, int depth);

/* int=4 for what libiberty prints as 4, (unsigned char)4, 4ul or true. */
static void edit_literal(struct edit *edit, component *node, int depth)
{
	bool negative = node->type == DEMANGLE_COMPONENT_LITERAL_NEG;
	component *value = node->u.s_binary.right;
	char *type, *text;
	size_t size;

	edit_tree(edit, &node->u.s_binary.left, depth + 1);
	if (edit->failed || !value || value->type != DEMANGLE_COMPONENT_NAME)
		return;
	type = cplus_demangle_print(STYLE, node->u.s_binary.left, 16, &size);
	if (!type || asprintf(&text, "%s=%s%.*s", type, negative ? "-" : "", value->u.s_name.len,
			      value->u.s_name.s) < 0)
		text = NULL;
	free(type);
	become_name(edit, node, text);
}

static void edit_builtin(struct edit *edit, component *node)
{
	size_t size;
	char *name = cplus_demangle_print(STYLE, node, 16, &size);

	if (!name)
		edit->failed = true;
	else if (strcmp(name, "long long") == 0)
		become_name(edit, node, strdup("__int64"));
	else if (strcmp(name, "unsigned long long") == 0)
		become_name(edit, node, strdup("unsigned __int64"));
	free(name);
}

/* The parameters of a function without any: an argument list without an argument. */
static void edit_parameters(struct edit *edit, component *list)
{
	component *none;

	if (!list || list->type != DEMANGLE_COMPONENT_ARGLIST || list->u.s_binary.left)
		return;
	none = calloc(1, sizeof(*none));
	if (!none || !cplus_demangle_fill_builtin_type(none, "void")) {
		free(none);
		edit->failed = true;
		return;
	}
	list->u.s_binary.left = none;
	/* Freed with the texts; the node is never mistaken for one of the name's own. */
	edit->texts =
		grow(edit->texts, edit->text_count, &edit->text_capacity, sizeof(*edit->texts));
	if (!edit->texts) {
		edit->failed = true;
		return;
	}
	edit->texts[edit->text_count++] = (char *)none;
}

/* Edits the tree at *slot, in the order of the mangled name. */
static void edit_tree(struct edit *edit, component **slot, int depth)
{
	if (depth > DEPTH_MOST)
		edit->failed = true;
	while (*slot && !edit->failed) {
		component *node = *slot;

		if (node->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM) {
			size_t index = (size_t)node->u.s_number.number;

			/* Those that have ended cannot hold the parameter itself. */
			if (edit->resolve && index < edit->argument_count)
				*slot = edit->arguments[index];
			return;
		}
		if (!first_visit(edit, node))
			return;
		switch (node->type) {
		case DEMANGLE_COMPONENT_LITERAL:
		case DEMANGLE_COMPONENT_LITERAL_NEG:
			edit_literal(edit, node, depth);
			return;
		case DEMANGLE_COMPONENT_BUILTIN_TYPE:
			edit_builtin(edit, node);
			return;
		case DEMANGLE_COMPONENT_FUNCTION_TYPE:
			edit_parameters(edit, node->u.s_binary.right);
			break;
		default:
			break;
		}
		if (!is_binary(node))
			return;
		edit_tree(edit, &node->u.s_binary.left, depth + 1);
		if (node->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST && node->u.s_binary.left)
			add_argument(edit, node->u.s_binary.left);
		slot = &node->u.s_binary.right;
	}
}

static bool is_identifier(char letter)
{
	return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
	       (letter >= '0' && letter <= '9') || letter == '_' || letter == '$';
}

/* What is a matter of spaces; returns a new string. */
static char *respace(const char *text)
{
	static const char *const qualifiers[] = {" const", " volatile"};
	/* A space more after each qualifier is the most that is added. */
	char *result = malloc(strlen(text) * 7 / 6 + 2), *write = result;
	size_t i;

	if (!result)
		return NULL;
	while (*text) {
		size_t length = 0;

		for (i = 0; *text == ' ' && i < sizeof(qualifiers) / sizeof(*qualifiers); i++)
			if (strncmp(text, qualifiers[i], strlen(qualifiers[i])) == 0)
				length = strlen(qualifiers[i]);
		if (length && !is_identifier(text[length])) {
			write = mempcpy(write, text, length);
			text += length;
			if (*text && *text != ' ')
				*write++ = ' ';
			continue;
		}
		if (text[0] == ' ' && text[1] == '>' && write > result && write[-1] == '>')
			text++;
		*write++ = *text == HIDDEN_N ? 'N' : *text;
		text++;
	}
	*write = '\0';
	return result;
}

static char *hide_anonymous(const char *mangled)
{
	char *copy = strdup(mangled), *at = copy;

	while (copy && (at = strstr(at, "_GLOBAL_"))) {
		at += 8;
		if (at[0] && strchr("._$", at[0]) && at[1] == 'N')
			at[1] = HIDDEN_N;
	}
	return copy;
}

char *demangle(const char *mangled)
{
	struct edit edit = {.resolve = true};
	char *name, *text = NULL, *result = NULL;
	component *tree = NULL;
	void *memory = NULL;
	size_t size;

	if (strncmp(mangled, "_Z", 2) != 0 || strlen(mangled) > LENGTH_MOST)
		return NULL;
	name = hide_anonymous(mangled);
	if (name)
		tree = cplus_demangle_v3_components(name, STYLE, &memory);
	if (!tree)
		goto out;
	survey(&edit, tree, 0);
	forget_visits(&edit);
	if (!edit.failed)
		edit_tree(&edit, &tree, 0);
	if (edit.failed)
		goto out;
	if (!edit.resolve &&
	    edit.references * (edit.templates + 1) * sizeof(void *) * 2 > STACK_MOST)
		goto out;
	text = cplus_demangle_print(STYLE, tree, (int)(strlen(name) * 2), &size);
	if (text)
		result = respace(text);
out:
	forget_visits(&edit);
	while (edit.text_count > 0)
		free(edit.texts[--edit.text_count]);
	free(edit.texts);
	free(edit.arguments);
	free(text);
	free(memory);
	free(name);
	return result;
}
