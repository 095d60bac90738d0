/* SPDX-License-Identifier: MIT */
/*
 * libiberty parses the name into a tree; the tree is edited where a profiler spells a name in
 * another way, and libiberty prints it. The differences (seen in nvprof's output and in that of the
 * toolkit's cu++filt, which nsys prints):
 *   binutils                 nvprof                   nsys
 *   foo<4, true>             foo<int=4, bool=1>       foo<(int)4, (bool)1>
 *   foo()                    foo(void)                foo()
 *   long long                __int64                  long long
 *   (anonymous namespace)    _GLOBAL__N_1             <unnamed>
 *   float const*             float const *            const float *
 *   a<b<c> >                 a<b<c>>                  a<b<c>>
 *   operator+                operator+                operator +
 *   {lambda(int)#1}          (not demangled)          [lambda(int) (instance 1)]
 *   void k<int>(int)         void k<int>(int)         void k<int>(T1)
 * nvprof numbers the arguments of all templates in the order in which they end, those of nested
 * templates among them, so T_ in void k<foo<int>>(T_) is int, not foo<int>.
 */
#include "report/names/demangle.h"

#include <stdlib.h>
#include <string.h>

#include "report/names/demangle_tree.h"

/*
 * Longer names stay mangled: libiberty parses a type by recursion, with up to 96 bytes of stack for
 * each letter, and bounds that only in part.
 */
#define LENGTH_MOST (16UL << 10)

#define NVPROF                                                                                     \
	.literal = "%s=%s%.*s", .no_parameters = "void", .long_long = "__int64", .nvprof = true
static const struct spelling nvprof_unresolved = {NVPROF};
static const struct spelling nvprof = {NVPROF, .otherwise = &nvprof_unresolved,
				       .beyond = BEYOND_NVPROF, .resolves = true};
static const struct spelling binutils = {.anonymous = "(anonymous namespace)"};
static const struct spelling nsys = {.otherwise = &binutils,
				     .beyond = BEYOND_CUFILT,
				     .anonymous = "<unnamed>",
				     .literal = "(%s)%s%.*s",
				     .cufilt = true};

static bool is_identifier(char letter)
{
	return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
	       (letter >= '0' && letter <= '9') || letter == '_' || letter == '$';
}

/* The length of a qualifier, with the space before it, that a text begins with. */
static size_t qualifier_length(const char *text)
{
	static const char *const qualifiers[] = {" const", " volatile"};

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++) {
		size_t length = strlen(qualifiers[i]);

		if (!strncmp(text, qualifiers[i], length) && !is_identifier(text[length]))
			return length;
	}
	return 0;
}

/* The differences that are a matter of spaces; returns a new string. */
static char *respace(const struct spelling *spelling, const char *text)
{
	/* At most one space is added for each letter. */
	char *result = malloc(strlen(text) * 2 + 1), *write = result;

	if (!result)
		return NULL;
	for (char before = '\0'; *text; before = write[-1]) {
		size_t qualifier = qualifier_length(text);

		if (spelling->nvprof && qualifier) {
			write = mempcpy(write, text, qualifier);
			text += qualifier;
			if (*text && *text != ' ')
				*write++ = ' ';
			continue;
		}
		/* a<b<c> >; and for nsys, int* const and int (&) [4] */
		if ((spelling->nvprof || spelling->cufilt) && before == '>' &&
		    !strncmp(text, " >", 2))
			text++;
		else if (spelling->cufilt &&
			 ((before == '*' && (qualifier || !strncmp(text, " (", 2))) ||
			  (before == '&' && !strncmp(text, " (", 2)) ||
			  (before == ')' && !strncmp(text, " [", 2))))
			text++;
		else if (spelling->cufilt && (*text == '*' || *text == '&') &&
			 (is_identifier(before) || before == '>' || before == ']'))
			*write++ = ' ';
		*write++ = *text == HIDDEN_N ? 'N' : *text;
		text++;
	}
	*write = '\0';
	return result;
}

/* The part of a mangled name from "_Z" on; NULL where there is none. */
static const char *find_mangled(const char *name)
{
	static const char is_static[] = "__nv_static_";
	size_t length;
	char *end;

	/*
	 * nvcc makes the names of a file's static functions unique:
	 * __nv_static_32__b4148644_10_onerank_cu_fdf47990__ZN…, the number being the length of what
	 * stands between the underscore after it and the one before the name itself.
	 */
	if (!strncmp(name, is_static, strlen(is_static))) {
		length = strtoul(name + strlen(is_static), &end, 10);
		if (*end != '_' || strlen(end) < 3 || length > strlen(end) - 3 ||
		    end[length + 1] != '_')
			return NULL;
		name = end + length + 2;
	}
	return !strncmp(name, "_Z", 2) && strlen(name) <= LENGTH_MOST ? name : NULL;
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

/* The function's own name within its scopes, template arguments and parameters. */
static struct demangle_component *base_of(struct demangle_component *tree)
{
	for (;;) {
		switch (tree->type) {
		case DEMANGLE_COMPONENT_TYPED_NAME:
		case DEMANGLE_COMPONENT_TEMPLATE:
		case DEMANGLE_COMPONENT_CONST_THIS:
		case DEMANGLE_COMPONENT_VOLATILE_THIS:
		case DEMANGLE_COMPONENT_REFERENCE_THIS:
		case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
			tree = tree->u.s_binary.left;
			break;
		case DEMANGLE_COMPONENT_QUAL_NAME:
		case DEMANGLE_COMPONENT_LOCAL_NAME:
			tree = tree->u.s_binary.right;
			break;
		default:
			return tree;
		}
	}
}

/* NULL where the name is not mangled, cannot be read, or memory is out. */
static char *demangle_as(const struct spelling *spelling, const char *mangled, bool base)
{
	char *name = NULL, *text = NULL, *result = NULL;
	struct demangle_component *tree = NULL;
	void *memory = NULL;
	bool beyond = false;

	mangled = find_mangled(mangled);
	if (mangled)
		name = hide_anonymous(mangled);
	if (name)
		tree = cplus_demangle_v3_components(name, DEMANGLE_STYLE, &memory);
	if (tree)
		text = demangle_tree(spelling, base ? base_of(tree) : tree, strlen(name), &beyond);
	if (text)
		result = respace(spelling, text);
	free(text);
	free(memory);
	free(name);
	return beyond ? demangle_as(spelling->otherwise, mangled, base) : result;
}

char *demangle(const char *mangled)
{
	return demangle_as(&nvprof, mangled, false);
}

char *nsys_demangle(const char *mangled)
{
	char *name = demangle_as(&nsys, mangled, false);

	return name ? name : strdup(mangled);
}

char *nsys_demangle_base(const char *mangled)
{
	char *name = demangle_as(&nsys, mangled, true);

	return name ? name : strdup(mangled);
}
